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

package plots

import (
	"bytes"
	"encoding/xml"
	"errors"
	"html/template"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/dra-conformance/dratest/framework/perf"
)

// record returns a record of workloads with and without growth, and thresholds of each kind.
func record(commit string, factor float64) perf.Record {
	grows := perf.Workload{Name: "grows", Grows: &perf.Growing{In: perf.Nodes, Sizes: []int{100, 1000, 5000}}}
	r := perf.Record{Kubernetes: "v1.37.1", Reference: "stock", Candidate: "own <&>", Started: time.Unix(0, 0), Workloads: []perf.Workload{{Name: "flat"}, grows}}
	r.Suite.Commit = commit
	add := func(workload string, size, block int, side perf.Side, cpu float64) {
		r.Rounds = append(r.Rounds, perf.Round{
			Workload: workload, Size: size, Block: block, Side: side, Latencies: []float64{0.01, 0.02, cpu},
			Values: map[perf.Metric]float64{perf.SchedulerCPU: cpu, perf.PodsPerSecond: 100},
		})
	}
	for block := range perf.MinBlocks {
		for _, side := range []perf.Side{perf.Reference, perf.Candidate} {
			cpu := 0.01 + 0.0001*float64(block)
			if side == perf.Candidate {
				cpu *= factor
			}
			add("flat", 0, block, side, cpu)
			for _, size := range grows.Grows.Sizes {
				add("grows", size, block, side, cpu+float64(size)/1e6)
			}
		}
	}
	for _, t := range []perf.Threshold{
		{Workload: "flat", Metric: perf.SchedulerCPU, AtMost: 1.1},
		{Workload: "grows", Kind: perf.Growth, Metric: perf.SchedulerCPU, AtMost: 0.5},
		{Workload: "nothing", Metric: perf.SchedulerCPU, AtMost: 1},
	} {
		r.Findings = append(r.Findings, perf.Judge(t, r.Rounds))
	}
	return r
}

func TestPage(t *testing.T) {
	var out bytes.Buffer
	if err := Page(&out, []perf.Record{record("aaaaaaaaaa", 0.8), record("bbbbbbbbbb", 1)}); err != nil {
		t.Fatal(err)
	}
	page := out.String()
	for _, want := range []string{
		"flat</td><td>scheduler-cpu-sec/pod at most 1.1</td><td>met", "exponent of the growth", "trend of flat", "aaaaaaaa<", "own &lt;&amp;&gt;",
		"scheduler-cpu-sec/pod of grows over nodes", "latencies of flat", "candidate own &lt;&amp;&gt; (filled, solid): exponent", "0 blocks are too few",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	if strings.Contains(page, "<?xml") || strings.Contains(page, "NaN") {
		t.Error("the page has an XML declaration, or a value that is no number")
	}
	if n := strings.Count(page, "<svg"); n < 6 {
		t.Errorf("the page has %d plots", n)
	}
}

// The trend of a threshold includes older runs even if the newest run lacks its workload.
func TestTrendsOfOlderRuns(t *testing.T) {
	few := record("c", 1)
	few.Findings = few.Findings[:1]
	var out bytes.Buffer
	if err := Page(&out, []perf.Record{record("a", 0.8), record("b", 1), few}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"trend of flat", "trend of grows", ">ratio<", ">exponent<"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the page has no %q", want)
		}
	}
}

// Plots are well-formed elements of a page, with a text alternative.
func TestPlotsAreWellFormed(t *testing.T) {
	r := record("a", 1)
	for i, draw := range []func() (template.HTML, error){
		func() (template.HTML, error) { return latency(r, r.Workloads[0], 0) },
		func() (template.HTML, error) { return growth(r, r.Workloads[1], perf.SchedulerCPU) },
		func() (template.HTML, error) { return findings(r, true, "ratios <of> all") },
	} {
		drawn, err := draw()
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(drawn), `aria-label="`) {
			t.Errorf("plot %d has no text", i)
		}
		for d := xml.NewDecoder(strings.NewReader(string(drawn))); ; {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("plot %d: %v", i, err)
			}
		}
	}
}

func TestPageOfNothing(t *testing.T) {
	if err := Page(io.Discard, nil); err == nil {
		t.Error("a page without a record")
	}
	if err := Page(io.Discard, []perf.Record{{}}); err != nil {
		t.Errorf("a run that measured nothing: %v", err)
	}
}
