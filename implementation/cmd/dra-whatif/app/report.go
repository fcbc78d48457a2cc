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
	"unicode"
	"unicode/utf8"

	"k8s.io/klog/v2"

	"github.com/dra-conformance/dratest/implementation/simulation"
)

// report is the answer with -o json.
type report struct {
	// Groups are the nodes to add. Cost is their total cost, Bound a lower bound for as many pods.
	Groups []grown `json:"groups"`
	Cost   int64   `json:"cost"`
	Bound  int64   `json:"bound"`
	// Pods waiting for a node, in the order of attempts.
	Pods []served `json:"pods"`
	// Notes list what was ignored.
	Notes []string `json:"notes,omitempty"`
}

type grown struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
	Cost  int64  `json:"cost"`
	// Left is the number of unallocated devices on the new nodes.
	Left int `json:"devicesLeft"`
	// Nodes are the names of the new nodes in the list of pods.
	Nodes []string `json:"nodes,omitempty"`
	// Refused is the reason why no further node, or none at all, can be added.
	Refused string `json:"refused,omitempty"`
}

type served struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// Node is empty if the pod does not fit; Reason explains why.
	Node    string   `json:"node,omitempty"`
	New     bool     `json:"new,omitempty"`
	Devices []device `json:"devices,omitempty"`
	Reason  string   `json:"reason,omitempty"`
}

type device struct {
	Claim   string `json:"claim"`
	Request string `json:"request"`
	Driver  string `json:"driver"`
	Pool    string `json:"pool"`
	Device  string `json:"device"`
}

func newReport(growth *simulation.Growth, groups []*simulation.Group, notes []string) *report {
	r := &report{Cost: growth.Cost, Bound: growth.Bound, Groups: []grown{}, Pods: []served{}, Notes: notes}
	added := make(map[string]bool)
	for i, group := range groups {
		n := growth.Counts[i]
		r.Groups = append(r.Groups, grown{
			Name: group.Name, Count: n, Cost: int64(n) * max(1, group.Cost), Left: growth.Left[i], Nodes: growth.Names[i], Refused: growth.Refused[i],
		})
		for _, name := range growth.Names[i] {
			added[name] = true
		}
	}
	for _, p := range growth.Placements {
		s := newServed(p)
		s.New = added[p.Node]
		r.Pods = append(r.Pods, s)
	}
	return r
}

func newServed(p simulation.Placement) served {
	s := served{Namespace: p.Pod.Namespace, Name: p.Pod.Name, Node: p.Node, Reason: p.Reason}
	for _, claim := range p.Claims {
		for _, result := range claim.Status.Allocation.Devices.Results {
			s.Devices = append(s.Devices, device{claim.Name, result.Request, result.Driver, result.Pool, result.Device})
		}
	}
	return s
}

func (r *report) writeTable(out io.Writer) error {
	old, added, none := 0, 0, 0
	for _, p := range r.Pods {
		switch {
		case p.Node == "":
			none++
		case p.New:
			added++
		default:
			old++
		}
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%d pending pods: %d fit existing nodes, %d need new nodes, %d cannot run\n", len(r.Pods), old, added, none)
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	if len(r.Groups) > 0 {
		fmt.Fprintln(table, "\nGROUP\tNEW NODES\tCOST\tDEVICES LEFT")
		for _, g := range r.Groups {
			fmt.Fprintf(table, "%s\t%d\t%d\t%d\n", g.Name, g.Count, g.Cost, g.Left)
		}
	}
	if len(r.Pods) > 0 {
		fmt.Fprintln(table, "\nPOD\tNODE\tDEVICES")
		for _, p := range r.Pods {
			if p.Node != "" {
				fmt.Fprintf(table, "%s\t%s\t%s\n", klog.KRef(p.Namespace, p.Name), p.Node, p.devices())
			}
		}
	}
	_ = table.Flush() // strings.Builder never fails
	for _, g := range r.Groups {
		if g.Refused != "" {
			fmt.Fprintf(&text, "\nNo nodes can be added to group %s: %s\n", g.Name, g.Refused)
		}
	}
	if r.Bound < r.Cost {
		fmt.Fprintf(&text, "\nTotal cost %d. A cheaper answer may exist, but none below %d.\n", r.Cost, r.Bound)
	}
	if none > 0 {
		fmt.Fprintf(&text, "\nCannot run:\n")
		for _, p := range r.Pods {
			if p.Node == "" {
				fmt.Fprintf(&text, "  %s: %s\n", klog.KRef(p.Namespace, p.Name), p.Reason)
			}
		}
	}
	for _, note := range r.Notes {
		fmt.Fprintf(&text, "\nNote: %s.\n", note)
	}
	_, err := io.WriteString(out, printable(text.String()))
	return err
}

// printable replaces control characters: names in an archive are untrusted.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
			return utf8.RuneError
		}
		return r
	}, text)
}

func (s *served) devices() string {
	names := make([]string, 0, len(s.Devices))
	for _, d := range s.Devices {
		names = append(names, d.Pool+"/"+d.Device)
	}
	return strings.Join(names, ", ")
}
