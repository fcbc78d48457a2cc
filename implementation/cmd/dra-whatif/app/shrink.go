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
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"k8s.io/klog/v2"

	"github.com/dra-conformance/dratest/implementation/simulation"
)

// departure is the answer to shrink with -o json.
type departure struct {
	Node string `json:"node"`
	// Possible: all pods that have to move fit elsewhere, and no claim blocks the node.
	Possible bool `json:"possible"`
	// Pods that have to move, with their new node or the reason why they cannot.
	Pods []served `json:"pods"`
	// Blockers are claims on the node's devices in use elsewhere.
	Blockers []string `json:"blockers,omitempty"`
	Notes    []string `json:"notes,omitempty"`
}

func newShrink(from *source) *cobra.Command {
	var ask question
	cmd := &cobra.Command{
		Use:   "shrink NODE",
		Short: "Check whether the pods of a node could run elsewhere",
		Long: "shrink checks whether all pods of NODE could run on other nodes if the node and its devices were removed. DaemonSet pods\n" +
			"and static pods are ignored. A claim shared with pods on other nodes keeps its devices, and limits its pods to nodes\n" +
			"with access to them; a claim used only on this node is allocated again.\n\n" +
			"Exit codes: 0 the node can be removed, 1 it cannot, 2 invalid usage or no such node, 3 error reading or simulating the\n" +
			"cluster or archive, or writing the output.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := ask.validate(); err != nil {
				return err
			}
			s, notes, err := ask.simulate(cmd.Context(), from)
			if err != nil {
				return err
			}
			if !s.HasNode(args[0]) {
				return exitError{noNode(args[0]), 2}
			}
			d, err := s.Shrink(cmd.Context(), args[0])
			if err != nil {
				return exitError{err, 3}
			}
			if err := writeAnswer(cmd.OutOrStdout(), ask.output, newDeparture(args[0], &d, notes)); err != nil {
				return err
			}
			if !d.Possible {
				return errUnserved
			}
			return nil
		},
	}
	ask.flags(cmd)
	return cmd
}

func noNode(name string) error {
	return fmt.Errorf("there is no node %s: \"kubectl get nodes\" lists them", name)
}

func newDeparture(node string, d *simulation.Departure, notes []string) *departure {
	answer := &departure{Node: node, Possible: d.Possible, Pods: []served{}, Blockers: d.Blockers, Notes: notes}
	for _, p := range d.Moved {
		answer.Pods = append(answer.Pods, newServed(p))
	}
	return answer
}

func (d *departure) writeTable(out io.Writer) error {
	var text strings.Builder
	verdict := "cannot go"
	if d.Possible {
		verdict = "can go"
	}
	fmt.Fprintf(&text, "Node %s %s: %d pods have to move\n", d.Node, verdict, len(d.Pods))
	if len(d.Pods) > 0 {
		table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
		fmt.Fprintln(table, "\nPOD\tNODE\tDEVICES")
		for _, p := range d.Pods {
			where := p.Node
			if where == "" {
				where = "none: " + p.Reason
			}
			fmt.Fprintf(table, "%s\t%s\t%s\n", klog.KRef(p.Namespace, p.Name), where, p.devices())
		}
		_ = table.Flush() // strings.Builder never fails
	}
	for _, b := range d.Blockers {
		fmt.Fprintf(&text, "\nKept by: %s\n", b)
	}
	for _, note := range d.Notes {
		fmt.Fprintf(&text, "\nNote: %s.\n", note)
	}
	_, err := io.WriteString(out, text.String())
	return err
}
