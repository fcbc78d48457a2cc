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

// Command dratest-oci-runtime is runc for machines with a reduced capability bounding set. Engines
// request every capability of the kernel for a privileged container, and runc rejects the container if
// one is unavailable. This program removes unavailable capabilities from runc's input (config.json of
// "create" and "run", the --process file of "exec") and then executes runc with the same arguments.
//
// It depends on the standard library only and stays small, because it runs for every container and
// every exec.
//
// The environment variable DRATEST_RUNC overrides the runc in PATH.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"github.com/dra-conformance/dratest/clusters/host/capability"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "dratest-oci-runtime: %v\n", err)
		os.Exit(1)
	}
}

// run returns only if runc failed to start.
func run(args []string) error {
	if path, isProcess := parse(args).file(); path != "" {
		bounding, err := capability.Read("self")
		if err != nil {
			return err
		}
		if err := dropFromFile(path, isProcess, bounding.Lacks); err != nil {
			return err
		}
	}
	runc := os.Getenv("DRATEST_RUNC")
	if runc == "" {
		var err error
		if runc, err = exec.LookPath("runc"); err != nil {
			return fmt.Errorf("find runc: %w", err)
		}
	}
	if err := syscall.Exec(runc, append([]string{"runc"}, args...), os.Environ()); err != nil {
		return fmt.Errorf("start %s: %w", runc, err)
	}
	return nil
}
