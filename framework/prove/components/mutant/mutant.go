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
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
)

const (
	// file has the name of the requested mutant, in the working directory or in shared. The latter is for containers
	// with a read-only root file system.
	file   = "dratest-mutant"
	shared = "/dev/shm/" + file
	// variable shows the active mutant to the outside after a switch. It also selects the mutant for short-lived
	// programs without a file.
	variable = "DRATEST_MUTANT"
	// crashVariable names a file for the crash output of such a program, since nobody monitors its process.
	crashVariable = "DRATEST_MUTANT_CRASH"
)

// active is the active mutant for the lifetime of this process image.
var active = start() //nolint:gochecknoglobals // the environment of a process names one mutant

// On tells whether a mutant is on.
func On(id string) bool { return active == id }

// Either returns a if on, else b.
func Either[T any](on bool, a, b T) T {
	if on {
		return a
	}
	return b
}

// Text returns a value as text.
func Text(value any) string { return fmt.Sprint(value) }

// Error returns an error.
func Error(text string) error { return errors.New(text) }

// start reads the name of the mutant. On SIGUSR1 it re-executes the program with the mutant requested then: in the
// same process, so no supervisor notices, and without in-memory effects of the last mutant.
func start() string {
	if err := reportCrash(os.Getenv(crashVariable)); err != nil {
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

// reportCrash appends a crash's output to an existing file; without a name it does nothing.
func reportCrash(name string) error {
	if name == "" {
		return nil
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(debug.SetCrashOutput(f, debug.CrashOptions{}), f.Close())
}

// wanted is the requested mutant; empty for none.
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

// restart does not return unless the program's file is gone.
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
