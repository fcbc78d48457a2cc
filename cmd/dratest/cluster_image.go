package main

import (
	"context"
	"errors"

	"github.com/dra-conformance/dratest/clusters/progress"
)

// nodeImage finds or builds the node image for a Kubernetes version.
func nodeImage(*progress.Printer) func(context.Context, string) (string, error) {
	return func(context.Context, string) (string, error) {
		return "", withCode(codeUsage, errors.New("name a node image with --image"))
	}
}
