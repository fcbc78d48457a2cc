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

const long = `dra-whatif says which nodes the pods need that wait for devices (DRA), and why others cannot be served.

It asks kube-scheduler's filters and this project's scheduler plugin, on a copy of the cluster in memory; the
cluster is only read. Groups of nodes that could be added are in a file:

  groups:
  - name: gpu            # new nodes are called gpu-new-1, gpu-new-2, ...
    cost: 3              # of a node, in any unit; 1 if left out
    max: 10              # at most so many; no limit if left out
    node:                # a Node, with what the scheduler looks at
      metadata: {name: template, labels: {zone: a}}
      status: {allocatable: {cpu: "8", memory: 32Gi, pods: "110"}}
    slices:              # its ResourceSlices, all of each pool; a pool's name follows that of the node
    - spec:
        driver: gpu.example.com
        nodeName: template
        pool: {name: template}
        devices: [{name: gpu-0}, {name: gpu-1}]
    pods: []             # Pods that come with each node, as those of DaemonSets,
    claims: []           # and the ResourceClaims that these name

"dra-whatif learn NODE" writes a group as a running node is.

Volumes, preemption and scores are not looked at: a pod goes to the first node that fits. The numbers of nodes are
the cheapest ones for few pods and groups; else it is said how much cheaper others could be at best. A group of which
no node can be added, as a pod that comes with it does not fit, serves nobody, which the answer says.

"dra-whatif shrink NODE" says whether the pods of a node could go elsewhere.`

const exits = `
Exit codes: 0 all pods can be served, 1 some cannot, 2 wrong usage or a wrong file, 3 the cluster or the archive cannot be
read or simulated, or the answer cannot be written. A pod for which a plugin of the scheduler fails is not served: the scheduler
tries such a pod again and again.`

// exitError is an error with its exit code.
type exitError struct {
	error

	code int
}

func (e exitError) Unwrap() error { return e.error }

// errUnserved means some pods cannot be served; the output lists them.
var errUnserved = errors.New("some pods cannot be served")

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
		fmt.Fprintln(errOut, "dra-whatif:", err)
		return failed.code
	}
	fmt.Fprintln(errOut, "dra-whatif:", err)
	fmt.Fprintln(errOut, `Run "dra-whatif --help" for usage.`)
	return 2
}

func newCommand() *cobra.Command {
	var from source
	var file string
	var ask question
	cmd := &cobra.Command{
		Use:   "dra-whatif -f groups.yaml [--kubeconfig FILE | --from ARCHIVE]",
		Short: "Say which nodes pods need that wait for devices",
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
				return errors.New("-f is missing: it names the file with the groups")
			}
			groups, err := readGroups(file)
			if err != nil {
				return exitError{err, 2}
			}
			return answer(cmd, &from, groups, ask)
		},
	}
	cmd.PersistentFlags().StringVar(&from.kubeconfig, "kubeconfig", "", "the cluster; if empty $KUBECONFIG or ~/.kube/config")
	cmd.PersistentFlags().StringVar(&from.context, "context", "", "context of the kubeconfig; if empty its current one")
	cmd.PersistentFlags().StringVar(&from.archive, "from", "", `a folder or .tar.gz that "dratest gather" has written, in place of a cluster`)
	cmd.MarkFlagsMutuallyExclusive("kubeconfig", "from")
	cmd.MarkFlagsMutuallyExclusive("context", "from")
	cmd.Flags().StringVarP(&file, "filename", "f", "", "file with the groups; - is standard input")
	cmd.Flags().StringVarP(&ask.namespace, "namespace", "n", "", "only pods of this namespace are asked for; those of others do not get what is free")
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
	cmd.Flags().StringVarP(&q.output, "output", "o", "table", "table or json")
	cmd.Flags().Var(gatesFlag{&q.gates}, "feature-gates", "feature gates of the scheduler that are not those of the API server, as DRADeviceTaints=false,...")
}

func (q *question) validate() error {
	if q.output != "table" && q.output != "json" {
		return fmt.Errorf("-o %s: it is table or json", q.output)
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
		Short: "Write a group as a running node is, and what of it will not repeat",
		Long: "learn writes a file with a group of nodes like NODE: its labels, taints and resources, its ResourceSlices, and\n" +
			"pods of DaemonSets with their claims. What new nodes will not have like that stands in comments at the top:\n" +
			"serial numbers and addresses among the attributes of devices, slices for several nodes.\n" + exits,
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
