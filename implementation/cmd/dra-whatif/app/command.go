package app

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

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
the cheapest ones for few pods and groups; else it is said how much cheaper others could be at best.`

const exits = `
Exit codes: 0 all pods can be served, 1 some cannot, 2 wrong usage or a wrong file, 3 the cluster or archive cannot be read.`

// exitError is an error with the exit code that it means.
type exitError struct {
	error

	code int
}

func (e exitError) Unwrap() error { return e.error }

// errUnserved says that some pods cannot be served, which the output has.
var errUnserved = errors.New("some pods cannot be served")

// Run is the command; it returns the exit code.
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
	var file, output string
	cmd := &cobra.Command{
		Use:   "dra-whatif -f groups.yaml [--kubeconfig FILE | --from ARCHIVE]",
		Short: "Say which nodes pods need that wait for devices",
		Long:  long + "\n" + exits,
		Example: `  dra-whatif learn worker-1 >groups.yaml
  dra-whatif -f groups.yaml
  dra-whatif -f groups.yaml --from gathered.tar.gz -o json`,
		Args: cobra.NoArgs, SilenceUsage: true, SilenceErrors: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if output != "table" && output != "json" {
				return fmt.Errorf("-o %s: it is table or json", output)
			}
			if file == "" {
				return errors.New("-f is missing: it names the file with the groups")
			}
			groups, err := readGroups(file)
			if err != nil {
				return exitError{err, 2}
			}
			return answer(cmd, &from, groups, output)
		},
	}
	cmd.PersistentFlags().StringVar(&from.kubeconfig, "kubeconfig", "", "the cluster; if empty $KUBECONFIG or ~/.kube/config")
	cmd.PersistentFlags().StringVar(&from.archive, "from", "", `a folder or .tar.gz that "dratest gather" has written, in place of a cluster`)
	cmd.MarkFlagsMutuallyExclusive("kubeconfig", "from")
	cmd.Flags().StringVarP(&file, "filename", "f", "", "file with the groups; - is standard input")
	cmd.Flags().StringVarP(&output, "output", "o", "table", "table or json")
	cmd.AddCommand(newLearn(&from))
	cmd.CompletionOptions.DisableDefaultCmd = true
	return cmd
}

func answer(cmd *cobra.Command, from *source, groups []*simulation.Group, output string) error {
	objects, err := from.read(cmd.Context())
	if err != nil {
		return exitError{err, 3}
	}
	s, err := simulation.New(cmd.Context(), objects)
	if err != nil {
		return exitError{err, 3}
	}
	growth, err := s.Grow(cmd.Context(), s.Pending(), groups)
	if err != nil {
		return exitError{err, 2}
	}
	told := newReport(growth, groups, from.notes())
	if output == "json" {
		err = told.writeJSON(cmd.OutOrStdout())
	} else {
		err = told.writeTable(cmd.OutOrStdout())
	}
	if err != nil {
		return exitError{fmt.Errorf("write the answer: %w", err), 3}
	}
	if len(growth.Unserved()) > 0 {
		return errUnserved
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
			objects, err := from.read(cmd.Context())
			if err != nil {
				return exitError{err, 3}
			}
			text, err := learn(objects, args[0])
			if err != nil {
				return exitError{err, 2}
			}
			_, err = cmd.OutOrStdout().Write(text)
			return err
		},
	}
}
