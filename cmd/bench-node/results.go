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
	// Prepare is the average time of the manager's part for a pod, in seconds, as
	// the kubelet itself measures it (dra_operations_duration_seconds). Attempts that
	// failed are left out; what our own manager waits in between is part of its only one.
	Prepare float64 `json:"prepareSeconds"`
	// Call is the driver's part of that (dra_grpc_operations_duration_seconds).
	Call float64 `json:"callSeconds"`
	// Resident is, by round, the average memory of the process while pods start, in bytes.
	Resident []float64 `json:"startingResidentBytes"`
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

func (r results) print(out io.Writer) {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(what, format string, stock, own, scale float64) {
		fmt.Fprintf(table, "%s\t"+format+"\t"+format+"\t%.2f\t\n", what, stock/scale, own/scale, stock/own)
	}
	k, c := r.Kubelets, r.Controllers
	start := sides[float64]{median(k.Stock.Start), median(k.Own.Start)}
	memory := sides[float64]{median(k.Stock.Resident), median(k.Own.Resident)}
	controllers := sides[float64]{median(c.Stock.Resident), median(c.Own.Resident)}
	// Blocks are minutes apart: only within one can sides be compared.
	waiting, arriving := ratios(c.Own.Waiting, c.Stock.Waiting), ratios(c.Own.Arriving, c.Stock.Arriving)
	fmt.Fprintf(table, "\tstock\town\tstock/own\t\n")
	row("pod start, s (median of rounds)", "%.2f", start.Stock, start.Own, 1)
	row("slowest pod start, s", "%.2f", k.Stock.Slowest, k.Own.Slowest, 1)
	row("prepare a pod's claims, ms", "%.1f", k.Stock.Prepare, k.Own.Prepare, 1e-3)
	row("of that the driver's call, ms", "%.1f", k.Stock.Call, k.Own.Call, 1e-3)
	row("kubelet, MiB resident while pods start", "%.0f", memory.Stock, memory.Own, mib)
	claim := func(what string, stock, own, byBlock []float64) {
		fmt.Fprintf(table, "%s, ms (medians of blocks)\t%.1f\t%.1f\t%.2f\t\n", what, 1e3/median(stock), 1e3/median(own), median(byBlock))
	}
	claim("claim for a pod that waits for its template", c.Stock.Waiting, c.Own.Waiting, waiting)
	claim("pod and its claim", c.Stock.Arriving, c.Own.Arriving, arriving)
	row("controllers, MiB resident (median of rounds)", "%.0f", controllers.Stock, controllers.Own, mib)
	_ = table.Flush() // to a terminal or a file that is checked by nobody
	fmt.Fprintf(out, "claims per second, own/stock, by block: %.2f, while pods are created: %.2f\n", waiting, arriving)
	fmt.Fprintf(out, "node: start=%.2f create=%.2f kubelet-rss=%.2f controller-rss=%.2f\n",
		start.Stock/start.Own, median(waiting), memory.Stock/memory.Own, controllers.Stock/controllers.Own)
}
