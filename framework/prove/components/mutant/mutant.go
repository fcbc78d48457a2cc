/*
Copyright The dratest Authors.

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.
*/

package mutant

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
)

const (
	// file has the name of the mutant that is to be on, in the working folder or in
	// shared. Containers with a root file system that cannot be written have the latter.
	file   = "dratest-mutant"
	shared = "/dev/shm/" + file
	// variable tells those outside which mutant is on, if the program was switched. A program
	// that lives no longer than the mutant is on, and has no file, is told by it.
	variable = "DRATEST_MUTANT"
	// crashVariable names a file that gets what such a program says when it crashes, as
	// nobody looks after its process.
	crashVariable = "DRATEST_MUTANT_CRASH"
)

// active is the mutant that is on as long as this process image lives.
var active = start() //nolint:gochecknoglobals // the environment of a process names one mutant

// On tells whether a mutant is on.
func On(id string) bool { return active == id }

// start reads the name of the mutant, and has the program start anew with the one that
// is then there when it gets SIGUSR1: in the same process, so that nobody who looks
// after the process notices, and with nothing that the last mutant did in memory.
func start() string {
	if err := tellCrash(os.Getenv(crashVariable)); err != nil {
		panic(err)
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGUSR1)
	go func() {
		for range signals {
			restart()
		}
	}()
	return wanted()
}

// tellCrash has a crash of the program written to the end of a file that is there; without a
// name it does nothing.
func tellCrash(name string) error {
	if name == "" {
		return nil
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(debug.SetCrashOutput(f, debug.CrashOptions{}), f.Close())
}

// wanted is the mutant that is to be on; empty for none.
func wanted() string {
	for _, name := range []string{file, shared} {
		text, err := os.ReadFile(name)
		if err == nil {
			return strings.TrimSpace(string(text))
		}
		if !errors.Is(err, fs.ErrNotExist) {
			panic(err)
		}
	}
	return os.Getenv(variable)
}

// restart does not return unless the program is not there any more.
func restart() {
	path, err := exec.LookPath(os.Args[0])
	if err != nil {
		panic(err)
	}
	env := []string{variable + "=" + wanted()}
	for _, entry := range os.Environ() {
		if !strings.HasPrefix(entry, variable+"=") {
			env = append(env, entry)
		}
	}
	panic(syscall.Exec(path, os.Args, env))
}
