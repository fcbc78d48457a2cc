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

package soak

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/dra-conformance/dratest/framework/outage"
	"github.com/dra-conformance/dratest/framework/soak/driver"
	"github.com/dra-conformance/dratest/framework/soak/load"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/schema"
)

// SummaryFile is the summary's name in the report directory.
const SummaryFile = "soak.json"

// schemaVersion changes when a reader of SummaryFile has to.
const schemaVersion = "2"

// Summary is the result of a soak.
type Summary struct {
	SchemaVersion string `json:"schemaVersion"`
	// Verdict is Failed after violations, and Incomplete if not everything requested was done.
	Verdict    schema.Verdict    `json:"verdict"`
	Kubernetes string            `json:"kubernetes"`
	Components map[string]string `json:"components,omitempty"`
	Seed       int64             `json:"seed"`
	Started    time.Time         `json:"started"`
	Seconds    float64           `json:"seconds"`
	// Pods is the number of pods, PodsPerSecond their rate from the first to the last.
	Pods          int         `json:"pods"`
	PodsPerSecond float64     `json:"podsPerSecond"`
	Kinds         []KindCount `json:"kinds"`
	// NoDevices are the longest times without a node's slices. Every other node's driver publishes with the library's
	// helper.
	NoDevices outage.Seconds `json:"noDevices"`
	// States of the claims and reads of all objects that were audited. MissedStates counts times with possibly missed
	// states, each around a deliberate outage of the API server.
	States       int `json:"states"`
	MissedStates int `json:"missedStates,omitempty"`
	Reads        int `json:"reads"`
	// Seen are the companion's statistics, in a field with its name.
	Companion string       `json:"-"`
	Seen      fmt.Stringer `json:"-"`
	// Results are the measurements of an installed driver.
	Results  *driver.Results `json:"driver,omitempty"`
	Faults   []FaultCount    `json:"faults,omitempty"`
	Findings []Finding       `json:"findings,omitempty"`
	// Problems are why the soak is incomplete, or its result limited.
	Problems []string `json:"problems,omitempty"`
}

// KindCount has statistics of a kind of pods. Times are from the creation of a pod until it was seen bound or
// running, in seconds; they include waiting for devices of other pods.
type KindCount struct {
	Kind    string `json:"kind"`
	Pods    int    `json:"pods"`
	Started int    `json:"started"`
	// Failed are the pods that failed without having been deleted.
	Failed  int     `json:"failed,omitempty"`
	Bound50 float64 `json:"bound50"`
	Bound99 float64 `json:"bound99"`
	Start50 float64 `json:"start50"`
	Start99 float64 `json:"start99"`
}

// count sums the lives of pods up.
func count(lives []podTimes, kinds []load.Kind) []KindCount {
	var counts []KindCount
	for _, kind := range kinds {
		c := KindCount{Kind: kind.Name}
		var bound, start []time.Duration
		for _, l := range lives {
			if l.kind != kind.Name {
				continue
			}
			c.Pods++
			if l.failed {
				c.Failed++
			}
			if !l.scheduled.IsZero() {
				bound = append(bound, l.scheduled.Sub(l.made))
			}
			if !l.started.IsZero() {
				start = append(start, l.started.Sub(l.made))
			}
		}
		c.Started = len(start)
		c.Bound50, c.Bound99 = percentile(bound, 50), percentile(bound, 99)
		c.Start50, c.Start99 = percentile(start, 50), percentile(start, 99)
		counts = append(counts, c)
	}
	return counts
}

// percentile is in seconds.
func percentile(values []time.Duration, p float64) float64 {
	return math.Round(spec.Quantile(values, p/100).Seconds()*100) / 100
}

// fields are the summary's fields without the companion's statistics.
type fields Summary

// MarshalJSON writes the companion's statistics as a field with its name.
func (s Summary) MarshalJSON() ([]byte, error) {
	data, err := json.Marshal(fields(s))
	if err != nil || s.Seen == nil {
		return data, err
	}
	return spec.AddField(data, s.Companion, s.Seen)
}

func (s Summary) write(dir string) error {
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return fmt.Errorf("encode the summary: %w", err)
	}
	if err := os.WriteFile(filepath.Join(dir, SummaryFile), append(data, '\n'), 0o644); err != nil {
		return fmt.Errorf("write the summary: %w", err)
	}
	return nil
}

// writePage writes the page of an installed driver.
func (s Summary) writePage(dir string) error {
	if s.Results == nil {
		return nil
	}
	r := driver.Report{
		Results: *s.Results, Verdict: s.Verdict, Kubernetes: s.Kubernetes, Started: s.Started, Seconds: s.Seconds, Pods: s.Pods, Seed: s.Seed, Problems: s.Problems,
	}
	for _, f := range s.Faults {
		r.Kills = append(r.Kills, fmt.Sprintf("%s: %d times", f.Name, f.Done))
	}
	for _, f := range s.Findings {
		text := fmt.Sprintf("%s: %s", f.Rule, f.Text)
		if f.Warning {
			r.Warnings = append(r.Warnings, fmt.Sprintf("%s (%d times)", text, f.Count))
		} else {
			r.Violations = append(r.Violations, text)
		}
	}
	var page bytes.Buffer
	if err := driver.Page(&page, r); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, reports.HTMLFile), page.Bytes(), 0o644); err != nil {
		return fmt.Errorf("write the page of the soak: %w", err)
	}
	return nil
}

func (s Summary) violations() int {
	n := 0
	for _, f := range s.Findings {
		if !f.Warning {
			n++
		}
	}
	return n
}

// Print writes the summary for people.
func (s Summary) Print(out io.Writer, dir string) {
	_, _ = fmt.Fprintf(out, "\n%d pods in %.0fs (%.2f per second) on Kubernetes %s, seed %d; audited %d states of the claims, %d reads of all objects\n\n",
		s.Pods, s.Seconds, s.PodsPerSecond, s.Kubernetes, s.Seed, s.States, s.Reads)
	table := tabwriter.NewWriter(out, 0, 0, 3, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprintln(table, "PODS\tSTARTED\tBOUND MEDIAN\tP99\tRUNNING MEDIAN\tP99\t  KIND")
	for _, k := range s.Kinds {
		_, _ = fmt.Fprintf(table, "%d\t%d\t%.2fs\t%.2fs\t%.2fs\t%.2fs\t  %s\n", k.Pods, k.Started, k.Bound50, k.Bound99, k.Start50, k.Start99, k.Kind)
	}
	_ = table.Flush()
	_, _ = fmt.Fprintln(out)
	if s.Seen != nil {
		_, _ = fmt.Fprintln(out, s.Seen)
	}
	if s.Results != nil {
		s.Results.Print(out)
	}
	if s.NoDevices != (outage.Seconds{}) {
		_, _ = fmt.Fprintf(out, "no devices of a node, longest %s\n", s.NoDevices)
	}
	if s.MissedStates > 0 {
		_, _ = fmt.Fprintf(out, "states of the claims may have been missed %d times, while the API server was away\n", s.MissedStates)
	}
	for _, f := range s.Faults {
		_, _ = fmt.Fprintf(out, "fault %s: %d times, could not be done %d times\n", f.Name, f.Done, f.Failed)
		for _, where := range slices.Sorted(maps.Keys(f.Died)) {
			_, _ = fmt.Fprintf(out, "   died %s: %d\n", where, f.Died[where])
		}
	}
	for _, f := range s.Findings {
		if !f.Warning {
			_, _ = fmt.Fprintf(out, "violation %s: %s (%s)\n", f.Rule, f.Text, f.Evidence)
		}
	}
	for _, f := range s.Findings {
		if f.Warning {
			_, _ = fmt.Fprintf(out, "warning %s: %d times, see %s\n", f.Rule, f.Count, f.Evidence)
		}
	}
	for _, p := range s.Problems {
		_, _ = fmt.Fprintf(out, "problem: %s\n", p)
	}
	_, _ = fmt.Fprintf(out, "%s: %d violations, details in %s\n", s.Verdict, s.violations(), filepath.Join(dir, SummaryFile))
}
