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

package driver

import (
	"fmt"
	"slices"
	"time"

	"github.com/dra-conformance/dratest/framework/audit"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/schema"
)

// Growth compares the beginning of a load with its end.
type Growth struct {
	// Name is that of the measurement.
	Name string `json:"name"`
	Unit string `json:"unit,omitempty"`
	// Node and Process are those of a process that lived long enough; empty for latencies.
	Node    string `json:"node,omitempty"`
	Process int    `json:"process,omitempty"`
	// First and Last are the medians of latencies in the first and last quarter, or the minima of a process's use.
	First float64 `json:"first"`
	Last  float64 `json:"last"`
	// Steady reports whether each quarter exceeds the one before.
	Steady bool `json:"steady,omitempty"`
	// Seconds is the time observed.
	Seconds float64 `json:"seconds"`
}

const quarters = 4

// Growth below these is no leak: a pool of connections may fill, and a heap settles.
const (
	leastFiles  = 8
	leastMemory = 8 << 20
	leastShare  = 1.25
	// leastSamples is the minimum number of samples of a process.
	leastSamples = 24
)

// slower compares latencies.
func (m Measured) slower(l latencies) (all []Growth) {
	for _, of := range []struct {
		name string
		list []timed
	}{{spec.PrepareP50, l.prepare}, {spec.UnprepareP50, l.unprepare}, {podStartP50, l.with}} {
		part := m.Took / quarters
		first := latencyOf(between(of.list, m.Began, m.Began.Add(part)))
		last := latencyOf(between(of.list, m.Began.Add(m.Took-part), m.Began.Add(m.Took)))
		if first.Count > 0 && last.Count > 0 {
			all = append(all, Growth{Name: of.name, Unit: "s", First: first.P50, Last: last.P50, Seconds: m.Took.Seconds()})
		}
	}
	return all
}

// grown compares the use of each process with enough samples. Samples are sorted by node and time.
func grown(samples []Sample) (all []Growth) {
	for len(samples) > 0 {
		of := samples[0]
		n := slices.IndexFunc(samples, func(s Sample) bool { return s.Node != of.Node || s.Process != of.Process })
		if n < 0 {
			n = len(samples)
		}
		life := samples[:n]
		samples = samples[n:]
		if n < leastSamples {
			continue
		}
		add := func(name, unit string, value func(Sample) float64) {
			floors, steady := make([]float64, quarters), true
			for q := range quarters {
				part := life[q*n/quarters : (q+1)*n/quarters]
				floors[q] = value(slices.MinFunc(part, func(a, b Sample) int { return int(value(a) - value(b)) }))
				steady = steady && (q == 0 || floors[q] > floors[q-1])
			}
			all = append(all, Growth{
				Name: name, Unit: unit, Node: of.Node, Process: of.Process, First: floors[0], Last: floors[quarters-1], Steady: steady,
				Seconds: life[n-1].Seconds - life[0].Seconds,
			})
		}
		add(spec.DriverMemory, "bytes", func(s Sample) float64 { return float64(s.Memory) })
		add(spec.DriverFiles, "", func(s Sample) float64 { return float64(s.FileDescriptors) })
	}
	return all
}

// String returns text such as "file descriptors on node w from 12 to 40 in 10m0s (168 per hour)".
func (g Growth) String() string {
	text := g.Name
	if g.Node != "" {
		text += " on node " + g.Node
	}
	text += fmt.Sprintf(" from %s to %s in %s", schema.Amount(g.First, g.Unit), schema.Amount(g.Last, g.Unit), (time.Duration(g.Seconds) * time.Second))
	if g.Node != "" && g.Last > g.First && g.Seconds > 0 {
		text += fmt.Sprintf(" (%s per hour)", schema.Amount((g.Last-g.First)/g.Seconds*time.Hour.Seconds(), g.Unit))
	}
	return text
}

// leaks returns the rule violated by a growth; empty if there is none.
func (g Growth) leaks() audit.Rule {
	switch {
	case g.Node == "" || !g.Steady:
		return ""
	case g.Name == spec.DriverFiles && g.Last-g.First >= leastFiles:
		return audit.FilesLeaked
	case g.Name == spec.DriverMemory && g.Last-g.First >= leastMemory && g.Last >= g.First*leastShare:
		return audit.MemoryGrows
	}
	return ""
}

// Judge adds the declared limits to the costs, and returns exceeded limits and leaks. Restarts of kubelets and drivers
// cause slice writes, so these have no limit after faults.
func (r *Results) Judge(limits map[string]float64) (found []audit.Violation) {
	for i := range r.Costs {
		c := &r.Costs[i]
		limit, declared := limits[c.Name]
		if !declared || c.Name == spec.SliceWritesPerHour && len(r.Faults) > 0 {
			continue
		}
		if c.Limit = &limit; c.Exceeds() {
			found = append(found, audit.Violation{Rule: audit.OverBudget, Subject: c.Name, Text: "the driver costs more than declared under load, " + c.String()})
		}
	}
	for _, g := range r.Growth {
		if rule := g.leaks(); rule != "" {
			found = append(found, audit.Violation{Rule: rule, Subject: fmt.Sprintf("%s %d", g.Node, g.Process), Text: fmt.Sprintf("the driver's process %d: %s", g.Process, g)})
		}
	}
	return found
}
