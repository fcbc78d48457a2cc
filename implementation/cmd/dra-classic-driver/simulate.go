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
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"

	"github.com/dra-conformance/dratest/implementation/classic/parametersref"
	"github.com/dra-conformance/dratest/implementation/classic/sampledriver"
	"github.com/dra-conformance/dratest/implementation/classic/whatif"
)

// question is the input of "simulate".
type question struct {
	connection

	driver sampledriver.Config
	file   string
	count  int
	output string
}

func simulateCommand() *cobra.Command {
	var q question
	cmd := &cobra.Command{
		Use:   "simulate -f nodes.yaml",
		Short: "Predict which pending pods additional nodes could run",
		Long: "simulate predicts which devices of the driver pending pods would get on the existing nodes and on copies of the\n" +
			"nodes in a file, named worker-new-1, worker-new-2, ... It allocates and changes nothing. It needs the same flags\n" +
			"as the controller and reads the same --state-file.\n\n" +
			"It considers claims, node selectors, node affinity and taints, but not CPU, memory or claims of other drivers,\n" +
			"which it lists. Each pod, by priority and age, gets the first node with devices for all its claims.",
		Example: "  kubectl get node worker -o yaml | dra-classic-driver simulate --state-file devices.json -f - --count 3",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := q.validate(); err != nil {
				return err
			}
			nodes, err := readNodes(q.file, cmd.InOrStdin())
			if err != nil {
				return err
			}
			answer, err := q.ask(withSignals(cmd.Context()), nodes)
			if err != nil {
				return err
			}
			return answer.write(cmd.OutOrStdout(), q.output)
		},
	}
	flags := cmd.Flags()
	q.flags(flags)
	deviceFlags(flags, &q.driver)
	flags.StringVarP(&q.file, "filename", "f", "", "A file with Nodes to copy, in kubectl's YAML or JSON; - is standard input.")
	flags.IntVar(&q.count, "count", 1, "The number of copies of each node.")
	flags.StringVarP(&q.output, "output", "o", "table", "Output format: table or json.")
	return cmd
}

// validate returns all errors in the flags.
func (q *question) validate() error {
	errs := []error{q.connection.validate(), q.driver.Validate()}
	if q.file == "" {
		errs = append(errs, errors.New("--filename is required: a file with nodes"))
	}
	if q.driver.StateFile == "" {
		errs = append(errs, errors.New("--state-file is required: it has the allocated devices"))
	}
	if q.count < 1 {
		errs = append(errs, errors.New("--count must be greater than 0"))
	}
	if q.output != "table" && q.output != "json" {
		errs = append(errs, fmt.Errorf("--output %s: must be table or json", q.output))
	}
	return errors.Join(errs...)
}

// ask has the driver simulate a cluster with more nodes like these.
func (q *question) ask(ctx context.Context, like []*corev1.Node) (*answer, error) {
	cluster, err := q.clients()
	if err != nil {
		return nil, err
	}
	objects, err := readCluster(ctx, cluster.kube, cluster.classic)
	if err != nil {
		return nil, err
	}
	return simulate(ctx, q.name, q.driver, cluster.objects, objects, newNodes(like, q.count, objects.Nodes))
}

func simulate(ctx context.Context, name string, config sampledriver.Config, parameters *parametersref.Reader, objects whatif.Objects, more []*corev1.Node) (*answer, error) {
	driver, err := sampledriver.New(config, parameters, nil) // only for its simulation
	if err != nil {
		return nil, err
	}
	objects.Nodes = append(slices.Clone(objects.Nodes), more...)
	placements, err := whatif.Place(ctx, name, driver, objects)
	if err != nil {
		return nil, err
	}
	added := make(map[string]bool)
	for _, node := range more {
		added[node.Name] = true
	}
	a := &answer{Pods: []predictedPod{}}
	for _, p := range placements {
		f := predictedPod{Namespace: p.Pod.Namespace, Name: p.Pod.Name, Node: p.Node, New: added[p.Node], Reason: p.Reason, NotAsked: p.Others}
		for _, claim := range p.Claims {
			for _, result := range claim.Status.Allocation.Devices.Results {
				f.Devices = append(f.Devices, device{claim.Name, result.Pool, result.Device})
			}
		}
		a.Pods = append(a.Pods, f)
	}
	return a, nil
}

// answer is the output with -o json.
type answer struct {
	// Pods waiting for devices, in the order of attempts.
	Pods []predictedPod `json:"pods"`
}

type predictedPod struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// Node is empty if the pod does not fit; Reason explains why. New means the node does not exist yet.
	Node    string   `json:"node,omitempty"`
	New     bool     `json:"new,omitempty"`
	Devices []device `json:"devices,omitempty"`
	Reason  string   `json:"reason,omitempty"`
	// NotAsked are claims of the pod allocated by another party.
	NotAsked []string `json:"notAsked,omitempty"`
}

type device struct {
	Claim  string `json:"claim"`
	Pool   string `json:"pool"`
	Device string `json:"device"`
}

func (a *answer) write(out io.Writer, format string) error {
	var text strings.Builder
	if format == "json" {
		encoder := json.NewEncoder(&text)
		encoder.SetIndent("", "  ")
		if err := encoder.Encode(a); err != nil {
			return fmt.Errorf("encode the answer: %w", err)
		}
	} else {
		a.table(&text)
	}
	if _, err := io.WriteString(out, text.String()); err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	return nil
}

func (a *answer) table(text *strings.Builder) {
	old, added := 0, 0
	var served, rest strings.Builder
	table := tabwriter.NewWriter(&served, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "\nPOD\tNODE\tDEVICES")
	for _, p := range a.Pods {
		pod := klog.KRef(p.Namespace, p.Name)
		var devices []string
		for _, d := range p.Devices {
			devices = append(devices, d.Pool+"/"+d.Device)
		}
		switch {
		case p.Node == "":
			fmt.Fprintf(&rest, "  %s: %s\n", pod, p.Reason)
			continue
		case p.New:
			added++
		default:
			old++
		}
		others := ""
		if len(p.NotAsked) > 0 {
			others = " (not asked: " + strings.Join(p.NotAsked, ", ") + ")"
		}
		fmt.Fprintf(table, "%s\t%s\t%s%s\n", pod, p.Node, strings.Join(devices, ", "), others)
	}
	_ = table.Flush() // strings.Builder never fails
	fmt.Fprintf(text, "%d pending pods: %d fit existing nodes, %d need new nodes, %d cannot run\n", len(a.Pods), old, added, len(a.Pods)-old-added)
	if old+added > 0 {
		text.WriteString(served.String())
	}
	if rest.Len() > 0 {
		fmt.Fprintf(text, "\nCannot run:\n%s", rest.String())
	}
}
