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

package companions

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"github.com/dra-conformance/dratest/clusters/images"
	"github.com/dra-conformance/dratest/framework/harness/whatif"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
)

// whatIf is dra-whatif, which computes the nodes needed by pods. Most of its cases add simulated nodes to an existing
// cluster.
func whatIf() testbed.Companion {
	return testbed.Companion{
		Name:         whatif.Companion,
		Skip:         "WhatIfNotAvailable",
		NoKubeconfig: "starts dra-whatif locally: run dratest from outside of the cluster, with --kubeconfig",
		NoProgram:    "starts dra-whatif, not installed",
		Lacks: func(needs spec.Needs, target spec.Target) string {
			switch {
			case !needs.NoKubelet:
				return ""
			case target.Simulated() == 0:
				return "adds simulated nodes, and the cluster has none: use --provider=controlplane"
			case !target.Disruptable:
				return "adds ready simulated nodes, and other pods could be scheduled there: allow it with --disruptive"
			}
			return ""
		},
		Find: func(ctx context.Context, b *testbed.Testbed, overlay map[string][]byte) (any, error) {
			program, _, err := images.Local{Progress: b.Progress, Overlay: overlay}.OwnProgram(ctx, "dra-whatif")
			return Command{Program: program, Kubeconfig: b.Kubeconfig, Context: b.Context}, err
		},
		Decode: testbed.Decoded[Command],
	}
}

// Command is dra-whatif for a cluster.
type Command struct {
	// Program is its path.
	Program string
	// Kubeconfig and Context name the cluster.
	Kubeconfig, Context string
}

var _ whatif.Client = Command{}

// unserved is the exit code for unserved pods.
const unserved = 1

// Ask runs the command with arguments and input, and returns its output. Unserved pods are no error.
func (c Command) Ask(ctx context.Context, input []byte, args ...string) ([]byte, error) {
	if c.Program == "" || c.Kubeconfig == "" {
		return nil, errors.New("ask dra-whatif: there is none, or no kubeconfig for it")
	}
	args = append(args, "--kubeconfig="+c.Kubeconfig)
	if c.Context != "" {
		args = append(args, "--context="+c.Context)
	}
	command := exec.CommandContext(ctx, c.Program, args...) //nolint:gosec // the program is the project's own
	var out, problems bytes.Buffer
	command.Stdin, command.Stdout, command.Stderr = bytes.NewReader(input), &out, &problems
	err := command.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == unserved && out.Len() > 0 {
		err = nil
	}
	if err != nil {
		if said := strings.TrimSpace(problems.String()); said != "" {
			err = fmt.Errorf("%w: %s", err, said)
		}
		return nil, fmt.Errorf("ask dra-whatif: %w", err)
	}
	return out.Bytes(), nil
}
