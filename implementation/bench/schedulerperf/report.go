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

package schedulerperf

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
)

// Report is the result of one invocation.
type Report struct {
	// Kubernetes is the version of the upstream module.
	Kubernetes  string        `json:"kubernetes"`
	Processors  int           `json:"processors"`
	Repetitions int           `json:"repetitions"`
	Comparisons []Comparison  `json:"workloads"`
	Means       Means         `json:"geometricMeans"`
	Runs        []Measurement `json:"runs"`
	// LeftOut are skipped workloads.
	LeftOut []LeftOut `json:"leftOut,omitempty"`
}

// NewReport compares the runs.
func NewReport(kubernetes string, repetitions int, runs []Measurement, left []LeftOut) Report {
	comparisons := Compare(runs)
	return Report{
		Kubernetes: kubernetes, Processors: runtime.NumCPU(), Repetitions: repetitions,
		Comparisons: comparisons, Means: meansOf(comparisons), Runs: runs, LeftOut: left,
	}
}

// Write writes the report to dir: results.json for programs, and report.txt for people, with the
// output of Print and the top of each profile.
func (r Report) Write(dir string) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("encode the results: %w", err)
	}
	var text strings.Builder
	r.Print(&text)
	for _, c := range r.Comparisons {
		for _, m := range c.Sides {
			top, err := os.ReadFile(filepath.Join(m.Dir, topFile))
			if err != nil {
				return fmt.Errorf("read the top of a profile: %w", err)
			}
			fmt.Fprintf(&text, "\n%s, %s, repetition %d: %s\n%s", m.Workload, m.Side, m.Repetition, m.Profile, firstRows(string(top), 15))
		}
	}
	for name, content := range map[string][]byte{"results.json": append(data, '\n'), "report.txt": []byte(text.String())} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			return fmt.Errorf("write the report: %w", err)
		}
	}
	return nil
}

// firstRows keeps the head and n rows of pprof's table.
func firstRows(table string, n int) string {
	var b strings.Builder
	rows := -1
	for line := range strings.Lines(table) {
		if rows < 0 && !strings.Contains(line, "flat%") {
			continue
		}
		if rows++; rows > n {
			break
		}
		b.WriteString(line)
	}
	return b.String()
}

// Print writes the table and the CPU time by part.
func (r Report) Print(w io.Writer) {
	_, _ = fmt.Fprintf(w, "\nscheduler_perf of Kubernetes %s, %d processors, %d repetition(s), medians\n\n", r.Kubernetes, r.Processors, r.Repetitions)
	r.printNumbers(w)
	_, _ = fmt.Fprint(w, `
R is our pods/s by upstream's, Filter and PreFilter are averages per pod of the
whole extension point, plugin/node is the plugin's part of Filter for one node.
Heap and RSS are of the whole process: API server, controllers, creation of pods
and scheduler. What the scheduler alone takes is measured on a cluster instead.
others is what the rest of the machine used meanwhile: not near 0 means noise.
`)
	r.printParts(w)
	if m := r.Means; m.Workloads > 0 {
		_, _ = fmt.Fprintf(w, "\nGeometric means over %d workloads: pods/s %.2f times, CPU of the plugin per pod %.2f times upstream's.\n", m.Workloads, m.PodsPerSecond, m.PluginCPU)
	}
	r.printMissing(w)
}

// printMissing lists workloads with runs without numbers, and why.
func (r Report) printMissing(w io.Writer) {
	heading := "\nNot all was measured:\n"
	for _, c := range r.Comparisons {
		if c.Failed > 0 {
			_, _ = fmt.Fprintf(w, "%s  %s: %s\n", heading, c.Workload, c.Why)
			heading = ""
		}
	}
	for _, left := range r.LeftOut {
		_, _ = fmt.Fprintf(w, "%s  %s: not run: %s\n", heading, left.Workload, left.Why)
		heading = ""
	}
}

// width is the length of the longest name: names are left-aligned, numbers right-aligned.
func (r Report) width() int {
	width := len("workload")
	for _, c := range r.Comparisons {
		width = max(width, len(c.Workload))
	}
	return width
}

func (r Report) printNumbers(w io.Writer) {
	width := r.width()
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprintf(table, "%-*s\t\tpods/s\tR\tlow-high\tFilter ms\tPreFilter ms\tplugin/node µs\theap MiB\tmax\tRSS\tCPU s\tothers\t\n", width, "workload")
	for _, c := range r.Comparisons {
		if len(c.Sides) == 0 {
			if !c.Excused {
				_, _ = fmt.Fprintf(table, "%-*s\tfailed"+strings.Repeat("\t", 12)+"\n", width, c.Workload)
			}
			continue
		}
		for i, m := range c.Sides {
			name, ratio, extremes := "", "", ""
			if i == 0 {
				name = c.Workload
			} else {
				ratio, extremes = fmt.Sprintf("%.2f", c.Ratio), fmt.Sprintf("%.2f-%.2f", c.Lowest, c.Highest)
			}
			_, _ = fmt.Fprintf(table, "%-*s\t%s\t%.1f\t%s\t%s\t%.2f\t%.2f\t%.1f\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t\n", width, name, m.Side, m.PodsPerSecond, ratio, extremes,
				m.Filter, m.PreFilter, m.PluginFilter*1000, m.HeapAverage, m.HeapMax, m.Resident, m.CPU, m.Others)
		}
	}
	_ = table.Flush()
}

// printParts prints the CPU time per pod by part, to show the bottleneck.
func (r Report) printParts(w io.Writer) {
	_, _ = fmt.Fprint(w, `
CPU ms per pod, from the profiles (without etcd, which is a process of its own);
plugin overlaps the columns of the scheduler to the right of it.

`)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	width, columns := r.width(), append(partNames(), rest)
	_, _ = fmt.Fprintf(table, "%-*s\t\tall\tplugin\t%s\t\n", width, "workload", strings.Join(columns, "\t"))
	for _, c := range r.Comparisons {
		for i, m := range c.Sides {
			name := c.Workload
			if i > 0 {
				name = ""
			}
			var all float64
			cells := make([]string, 0, len(columns))
			for _, column := range columns {
				all += m.Parts[column]
				cells = append(cells, fmt.Sprintf("%.1f", m.Parts[column]))
			}
			_, _ = fmt.Fprintf(table, "%-*s\t%s\t%.1f\t%.2f\t%s\t\n", width, name, m.Side, all, m.PluginCPU, strings.Join(cells, "\t"))
		}
	}
	_ = table.Flush()
}

// LastLine is for programs reading the output, and for quoting.
func (r Report) LastLine() string {
	line := "scheduler:"
	for _, c := range r.Comparisons {
		ratio := "failed"
		if c.Excused {
			ratio = "none"
		}
		if c.Ratio > 0 {
			ratio = fmt.Sprintf("%.2f", c.Ratio)
		}
		line += " " + c.Workload + "=" + ratio
	}
	if r.Means.Workloads > 0 {
		line += fmt.Sprintf(" geometric-mean=%.2f", r.Means.PodsPerSecond)
	}
	return line
}

// Failed reports whether a failed run counts against our plugin, or results are missing for a
// workload of the project's goals, or for all workloads.
func (r Report) Failed() bool {
	for _, c := range r.Comparisons {
		if c.Failed > 0 && !c.Excused || c.Ratio == 0 && slices.Contains(defaultWorkloads(), c.Workload) {
			return true
		}
	}
	return r.Means.Workloads == 0
}
