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

package components

import (
	"errors"
	"fmt"
	"os"

	"github.com/dra-conformance/dratest/reports/schema"
)

// Variables for programs started by cases; see package mutant.
const (
	variable      = "DRATEST_MUTANT"
	crashVariable = "DRATEST_MUTANT_CRASH"
)

// runWithMutant runs cases with a mutant of a program they start, and reports a crash of the program. The mutant is set in
// this process's environment, which the cluster's running components do not inherit.
func runWithMutant(m Mutant, cases func() (schema.Report, error)) (r schema.Report, crashed bool, err error) {
	file, err := os.CreateTemp("", "dratest-crash-")
	if err != nil {
		return r, false, fmt.Errorf("make a file for what a program says that crashes: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close(), os.Remove(file.Name())) }()
	defer func() { err = errors.Join(err, os.Unsetenv(variable), os.Unsetenv(crashVariable)) }()
	if err := errors.Join(os.Setenv(variable, m.ID), os.Setenv(crashVariable, file.Name())); err != nil {
		return r, false, fmt.Errorf("tell programs of mutant %s: %w", m.ID, err)
	}
	if r, err = cases(); err != nil {
		return r, false, err
	}
	info, err := file.Stat()
	if err != nil {
		return r, false, err
	}
	return r, info.Size() > 0, nil
}
