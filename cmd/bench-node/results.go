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
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"text/tabwriter"
)

const mib = 1 << 20

// kubeletResult is one kubelet's.
type kubeletResult struct {
	// Start is, by round, the average time from when a pod was bound to when its
	// kubelet said that it runs, in seconds.
	Start []float64 `json:"startSeconds"`
	// Slowest is the longest that one pod of all rounds took, in seconds.
	Slowest float64 `json:"slowestStartSeconds"`
	// Prepare is, by round, the average time of the manager's part for a pod, in seconds, as
	// the kubelet itself measures it (dra_operations_duration_seconds). Attempts that
	// failed are left out; what our own manager waits in between is part of its only one.
	Prepare []float64 `json:"prepareSeconds"`
	// Call is, by round, the driver's part of that (dra_grpc_operations_duration_seconds).
	Call []float64 `json:"callSeconds"`
	// Resident is, by round, the average memory of the process while pods start, in bytes.
	Resident []float64 `json:"startingResidentBytes"`
	// Restart is, by restart while all pods run, the time from when it is asked for until a pod
	// that is created once the kubelet answers again runs, in seconds.
	Restart []float64 `json:"restartSeconds"`
}

// controllerResult is that of a set of controllers.
type controllerResult struct {
	// Waiting is, by block, how many claims were made in a second for pods that waited
	// for the template.
	Waiting []float64 `json:"claimsPerSecond"`
	// Arriving is, by block, how many pods and their claims were made in a second,
	// together.
	Arriving []float64 `json:"claimsPerSecondWhilePodsAreCreated"`
	// Resident is, by round, the memory of all that runs on the side, in bytes:
	// kube-controller-manager, and on our side dra-controller-manager, too.
	Resident []float64 `json:"residentBytes"`
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	if n == 0 {
		return 0
	}
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// ratios divides each of some values by its counterpart.
func ratios(values, by []float64) []float64 {
	all := make([]float64, len(values))
	for i := range values {
		all[i] = values[i] / by[i]
	}
	return all
}

// write writes the results for programs.
func (r results) write(name string) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("encode the results: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return fmt.Errorf("make the folder of the results: %w", err)
	}
	if err := os.WriteFile(name, append(data, '\n'), 0o600); err != nil {
		return fmt.Errorf("write the results: %w", err)
	}
	return nil
}

// ratioSet are the ratios of one quantity, by round or block.
type ratioSet []float64

// String is the spread, as "0.97 to 1.04".
func (r ratioSet) String() string {
	if len(r) == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f to %.2f", slices.Min(r), slices.Max(r))
}

// line is a quantity of both sides in a unit that people read.
type line struct {
	// name is what programs read it by.
	name, what, format string
	stock, own         float64
	ratios             ratioSet
	// ratio is what stands for all of them.
	ratio float64
}

// lines are what is printed of a comparison. All but the claims are stock/own, which is
// more than 1 where ours needs less; claims are rates, and own/stock.
func (c comparison) lines() []line {
	var all []line
	k, m := c.Kubelets, c.Controllers
	add := func(name, what, format string, stock, own []float64, scale float64) {
		s, o := median(stock), median(own)
		all = append(all, line{name, what, format, s / scale, o / scale, ratios(stock, own), s / o})
	}
	add("start", "pod start, s (median of rounds)", "%.2f", k.Stock.Start, k.Own.Start, 1)
	add("slowest", "slowest pod start, s", "%.2f", []float64{k.Stock.Slowest}, []float64{k.Own.Slowest}, 1)
	add("prepare", "prepare a pod's claims, ms (median of rounds)", "%.1f", k.Stock.Prepare, k.Own.Prepare, 1e-3)
	add("call", "of that the driver's call, ms", "%.1f", k.Stock.Call, k.Own.Call, 1e-3)
	add("kubelet-rss", "kubelet, MiB resident while pods start", "%.0f", k.Stock.Resident, k.Own.Resident, mib)
	add("restart", "from a restart among these pods until another runs, s (median)", "%.1f", k.Stock.Restart, k.Own.Restart, 1)
	claim := func(name, what string, stock, own []float64) {
		// Blocks are minutes apart: only within one can sides be compared.
		byBlock := ratios(own, stock)
		all = append(all, line{name, what + ", ms (medians of blocks)", "%.1f", 1e3 / median(stock), 1e3 / median(own), byBlock, median(byBlock)})
	}
	claim("create", "claim for a pod that waits for its template", m.Stock.Waiting, m.Own.Waiting)
	claim("arrive", "pod and its claim", m.Stock.Arriving, m.Own.Arriving)
	add("controller-rss", "controllers, MiB resident (median of rounds)", "%.0f", m.Stock.Resident, m.Own.Resident, mib)
	return all
}

// print writes a table, in which the spread of a control stands beside each ratio: what is
// within it is no difference.
func (r results) print(out io.Writer) {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	var control []line
	head := "\tstock\town\tstock/own\t"
	if r.Control != nil {
		control = r.Control.lines()
		head += "stock/stock\t"
	}
	fmt.Fprintln(table, head)
	lines := r.lines()
	for i, l := range lines {
		fmt.Fprintf(table, "%s\t"+l.format+"\t"+l.format+"\t%.2f\t", l.what, l.stock, l.own, l.ratio)
		if control != nil {
			fmt.Fprintf(table, "%s\t", control[i].ratios)
		}
		fmt.Fprintln(table)
	}
	_ = table.Flush() // to a terminal or a file that is checked by nobody
	fmt.Fprintf(out, "claims per second, own/stock, by block: %.2f, while pods are created: %.2f\n", []float64(named(lines, "create").ratios), []float64(named(lines, "arrive").ratios))
	summary := []string{"start", "create", "kubelet-rss", "restart", "controller-rss"}
	fmt.Fprint(out, "node:")
	for _, name := range summary {
		fmt.Fprintf(out, " %s=%.2f", name, named(lines, name).ratio)
	}
	fmt.Fprintln(out)
	if control != nil {
		fmt.Fprint(out, "control:")
		for _, name := range summary {
			fmt.Fprintf(out, " %s=%s", name, named(control, name).ratios)
		}
		fmt.Fprintln(out)
	}
}

func named(lines []line, name string) line {
	return lines[slices.IndexFunc(lines, func(l line) bool { return l.name == name })]
}
