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

package main

import (
	"errors"
	"slices"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/testbed"
	"github.com/dra-conformance/dratest/reports"
)

// The exit codes, as documented in the root command's help.
const (
	codeCasesFailed = 1
	codeUsage       = 2
	codeEnvironment = 3
	codeIncomplete  = 4
)

type codedError struct {
	error

	code int
}

func (e codedError) Unwrap() error { return e.error }

// withCode sets the exit code for err.
func withCode(code int, err error) error {
	if err == nil {
		return nil
	}
	return codedError{error: err, code: code}
}

// worst returns the joined errors with the most severe exit code: a failure outweighs incomplete
// results.
func worst(errs []error) error {
	for _, code := range []int{codeCasesFailed, codeUsage, codeEnvironment, codeIncomplete} {
		if slices.ContainsFunc(errs, func(err error) bool { return exitCode(err) == code }) {
			return withCode(code, errors.Join(errs...))
		}
	}
	return nil
}

// inUse reports whether another process uses the cluster or the report directory.
func inUse(err error) bool {
	return errors.Is(err, testbed.ErrReserved) || errors.Is(err, reports.ErrInUse)
}

// exitCode returns the exit code for err. Unclassified errors are failures of dratest or its
// environment.
func exitCode(err error) int {
	var coded codedError
	switch {
	case errors.As(err, &coded):
		return coded.code
	case errors.As(err, new(clusters.UsageError)), errors.Is(err, clusters.ErrUnknownVersion), errors.Is(err, clusters.ErrExists):
		return codeUsage
	default:
		return codeEnvironment
	}
}
