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

package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"
	v1 "k8s.io/api/core/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"

	"github.com/dra-conformance/dratest/implementation/simulation"
)

const long = `dra-whatif finds the nodes to add for pods waiting for devices (DRA), and explains why other pods cannot run.

It runs kube-scheduler's filters and this project's scheduler plugin on an in-memory copy of the cluster; access to the
cluster is read-only. A file defines the groups of nodes available for adding:

  groups:
  - name: gpu            # new nodes are called gpu-new-1, gpu-new-2, ...
    cost: 3              # per node, in any unit; default 1
    max: 10              # maximum number of nodes; no limit by default
    node:                # a Node with the fields relevant for scheduling
      metadata: {name: template, labels: {zone: a}}
      status: {allocatable: {cpu: "8", memory: 32Gi, pods: "110"}}
    slices:              # all ResourceSlices of its pools; pool names follow the node's name
    - spec:
        driver: gpu.example.com
        nodeName: template
        pool: {name: template}
        devices: [{name: gpu-0}, {name: gpu-1}]
    pods: []             # Pods of each new node, for example of DaemonSets,
    claims: []           # and their ResourceClaims

"dra-whatif learn NODE" writes a group modeled on an existing node.

Volumes, preemption and scores are ignored: each pod goes to the first fitting node. With few pods and groups the node
counts are the cheapest possible; otherwise the output bounds how much cheaper others could be. Groups whose own pods do
not fit cannot be added; the output lists them.

"dra-whatif shrink NODE" checks whether the pods of a node could run elsewhere.`

const exits = `
Exit codes: 0 all pods can run, 1 some cannot, 2 invalid usage or file, 3 error reading or simulating the cluster or
archive, or writing the output. A pod counts as not able to run if a scheduler plugin fails for it: the scheduler would
retry it indefinitely.`

// exitError is an error with its exit code.
type exitError struct {
	error

	code int
}

func (e exitError) Unwrap() error { return e.error }

// errUnserved means some pods cannot run; the output lists them.
var errUnserved = errors.New("some pods cannot run")

// Run runs the command and returns the exit code.
func Run(ctx context.Context, args []string, out, errOut io.Writer) int {
	cmd := newCommand()
	cmd.SetArgs(args)
	cmd.SetOut(out)
	cmd.SetErr(errOut)
	err := cmd.ExecuteContext(ctx)
	var failed exitError
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errUnserved):
		return 1
	case errors.As(err, &failed):
		fmt.Fprintln(errOut, "dra-whatif:", printable(err.Error()))
		return failed.code
	}
	fmt.Fprintln(errOut, "dra-whatif:", printable(err.Error()))
	fmt.Fprintln(errOut, `Run "dra-whatif --help" for usage.`)
	return 2
}

func newCommand() *cobra.Command {
	var from source
	var file string
	var ask question
	cmd := &cobra.Command{
		Use:   "dra-whatif -f groups.yaml [--kubeconfig FILE | --from ARCHIVE]",
		Short: "Find the nodes to add for pods waiting for devices",
		Long:  long + "\n" + exits,
		Example: `  dra-whatif learn worker-1 >groups.yaml
  dra-whatif -f groups.yaml
  dra-whatif -f groups.yaml --from gathered.tar.gz -o json`,
		Args: cobra.NoArgs, SilenceUsage: true, SilenceErrors: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := ask.validate(); err != nil {
				return err
			}
			if file == "" {
				return errors.New("-f is required: a file with node groups")
			}
			groups, err := readGroups(file)
			if err != nil {
				return exitError{err, 2}
			}
			return answer(cmd, &from, groups, ask)
		},
	}
	cmd.PersistentFlags().StringVar(&from.kubeconfig, "kubeconfig", "", "kubeconfig of the cluster (default: $KUBECONFIG or ~/.kube/config)")
	cmd.PersistentFlags().StringVar(&from.context, "context", "", "context of the kubeconfig (default: the current one)")
	cmd.PersistentFlags().StringVar(&from.archive, "from", "", `directory or .tar.gz written by "dratest gather", instead of a cluster`)
	cmd.MarkFlagsMutuallyExclusive("kubeconfig", "from")
	cmd.MarkFlagsMutuallyExclusive("context", "from")
	cmd.Flags().StringVarP(&file, "filename", "f", "", "file with node groups; - is standard input")
	cmd.Flags().StringVarP(&ask.namespace, "namespace", "n", "", "consider only pods of this namespace; those of others get nothing")
	ask.flags(cmd)
	cmd.AddCommand(newLearn(&from), newShrink(&from))
	cmd.CompletionOptions.DisableDefaultCmd = true
	return cmd
}

// question is the input for an answer.
type question struct {
	output, namespace string
	gates             map[string]bool
}

func (q *question) flags(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&q.output, "output", "o", "table", "output format: table or json")
	cmd.Flags().Var(gatesFlag{&q.gates}, "feature-gates", "feature gates of the scheduler that differ from the API server's, for example DRADeviceTaints=false,...")
}

func (q *question) validate() error {
	if q.output != "table" && q.output != "json" {
		return fmt.Errorf("-o %s: must be table or json", q.output)
	}
	return nil
}

// simulate reads a cluster into a simulation, with notes on missing information.
func (q *question) simulate(ctx context.Context, from *source) (*simulation.Simulation, []string, error) {
	read, err := from.read(ctx)
	if err != nil {
		return nil, nil, exitError{err, 3}
	}
	config, notes, err := configure(processGates(), &read, q.gates)
	if err != nil {
		return nil, nil, err
	}
	s, err := simulation.New(ctx, read.Objects, config)
	if err != nil {
		return nil, nil, exitError{err, 3}
	}
	return s, append(from.notes(), notes...), nil
}

// processGates are the gates used by kube-scheduler's filters.
func processGates() featuregate.MutableFeatureGate { return utilfeature.DefaultMutableFeatureGate }

func answer(cmd *cobra.Command, from *source, groups []*simulation.Group, ask question) error {
	s, notes, err := ask.simulate(cmd.Context(), from)
	if err != nil {
		return err
	}
	pods := s.Pending()
	if ask.namespace != "" {
		pods = slices.DeleteFunc(pods, func(p *v1.Pod) bool { return p.Namespace != ask.namespace })
	}
	growth, err := s.Grow(cmd.Context(), pods, groups)
	if err != nil {
		return exitError{err, 3}
	}
	report := newReport(growth, groups, notes)
	if err := writeAnswer(cmd.OutOrStdout(), ask.output, report); err != nil {
		return err
	}
	if len(growth.Unserved()) > 0 {
		return errUnserved
	}
	return nil
}

// tabular is an answer printable as JSON or as a table.
type tabular interface{ writeTable(out io.Writer) error }

func writeAnswer(out io.Writer, format string, answer tabular) error {
	var err error
	if format == "json" {
		encoder := json.NewEncoder(out)
		encoder.SetIndent("", "  ")
		err = encoder.Encode(answer)
	} else {
		err = answer.writeTable(out)
	}
	if err != nil {
		return exitError{fmt.Errorf("write the answer: %w", err), 3}
	}
	return nil
}

func newLearn(from *source) *cobra.Command {
	return &cobra.Command{
		Use:   "learn NODE",
		Short: "Write a node group modeled on an existing node",
		Long: "learn writes a file with a group of nodes like NODE: its labels, taints, resources and ResourceSlices, and its\n" +
			"DaemonSet pods with their claims. Comments at the top list what new nodes will not share: device attributes with\n" +
			"serial numbers or addresses, and slices for several nodes.\n" + exits,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			read, err := from.read(cmd.Context())
			if err != nil {
				return exitError{err, 3}
			}
			text, err := learn(read.Objects, args[0])
			if err != nil {
				return exitError{err, 2}
			}
			if _, err := cmd.OutOrStdout().Write(text); err != nil {
				return exitError{fmt.Errorf("write the group: %w", err), 3}
			}
			return nil
		},
	}
}
