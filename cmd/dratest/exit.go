package main

import (
	"errors"

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

// withCode makes the process exit with code when err reaches main.
func withCode(code int, err error) error {
	if err == nil {
		return nil
	}
	return codedError{error: err, code: code}
}

// inUse tells whether another process has the cluster or the report directory.
func inUse(err error) bool {
	return errors.Is(err, testbed.ErrReserved) || errors.Is(err, reports.ErrInUse)
}

// exitCode is the process's exit code for err; errors that nobody has classified
// are failures of the tool or its environment.
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
