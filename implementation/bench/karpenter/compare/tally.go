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

package compare

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"

	"github.com/dra-conformance/dratest/framework/problem"
)

// Count counts answers for nodes.
type Count struct {
	Problems, Nodes                       int
	Both, Neither, OnlyOwn, OnlyKarpenter int
	// BothWrong counts those of Both where upstream rejects karpenter's devices.
	BothWrong int
	// GivenUp: karpenter timed out. Crash: it panicked.
	GivenUp, Crash int
}

// Tally is the result of a comparison.
type Tally struct {
	// Subset are problems without features missing in karpenter; Other are the rest.
	Subset, Other Count
	// Explained counts nodes where only karpenter places pods, by reason.
	Explained map[string]int
	// Crashes counts karpenter's panics by their text.
	Crashes map[string]int
	// Found are unexplained differences.
	Found []Found
}

func newTally() *Tally {
	return &Tally{Explained: make(map[string]int), Crashes: make(map[string]int)}
}

func (t *Tally) of(lacking bool) *Count {
	if lacking {
		return &t.Other
	}
	return &t.Subset
}

// missing are the features, by their name in package problem, missing in karpenter v1.15.0; it
// either rejects or ignores them.
func missing() []string {
	return []string{
		"admin access", "tolerations", "taints", "distinctAttribute", "node selection per device",
		"binding conditions", "bindsToNode", "unknown kind of request", "constrained list",
		"partitions for several nodes",
	}
}

// lacks reports whether a problem uses a feature missing in karpenter.
func lacks(p *problem.Problem) bool {
	names := missing()
	return slices.ContainsFunc(problem.AllFeatures(), func(f problem.Feature) bool { return slices.Contains(names, f.Name) && f.Used(p) })
}

// Write prints the tally.
func (t *Tally) Write(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "problems\tthat use\tnodes\tboth place\tboth refuse\tonly ours\tonly karpenter's\tkarpenter gave up\tkarpenter crashed\tboth place, karpenter's wrong\t")
	for _, row := range []struct {
		what string
		Count
	}{{"what karpenter has", t.Subset}, {"more", t.Other}} {
		fmt.Fprintf(w, "%d\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t\n", row.Problems, row.what, row.Nodes, row.Both, row.Neither,
			row.OnlyOwn, row.OnlyKarpenter, row.GivenUp, row.Crash, row.BothWrong)
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("write table: %w", err)
	}
	for _, reason := range append(Reasons(), Reason{Name: several, Why: "more than one of these together"}) {
		if n := t.Explained[reason.Name]; n > 0 {
			fmt.Fprintf(out, "only karpenter's, %d: %s: %s\n", n, reason.Name, reason.Why)
		}
	}
	for _, text := range slices.Sorted(maps.Keys(t.Crashes)) {
		fmt.Fprintf(out, "karpenter crashed, %d: %s\n", t.Crashes[text], text)
	}
	fmt.Fprintf(out, "differences: %d unexplained\n", len(t.Found))
	return nil
}

// Write prints a found difference with its problem.
func (f *Found) Write(out io.Writer) error {
	text, err := f.Problem.YAML()
	if err != nil {
		return fmt.Errorf("print problem %d: %w", f.Number, err)
	}
	_, err = fmt.Fprintf(out, "# Problem %d, %s: %s\n# ours: %s\n# karpenter's: %s\n%s", f.Number, f.Node, f.What, f.Own, f.Karpenter, text)
	return err //nolint:wrapcheck // the reader's terminal
}
