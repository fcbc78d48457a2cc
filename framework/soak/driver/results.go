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
	"cmp"
	"slices"
	"time"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/schema"
)

// Measured holds the raw measurements of a driver under load.
type Measured struct {
	// Began and Took are the start and the duration of the load.
	Began time.Time
	Took  time.Duration
	// Calls are by node.
	Calls   map[string][]spec.Call
	Samples []Sample
	Starts  []Start
	// SliceWrites is the number of writes to the driver's slices.
	SliceWrites int
}

// Start is the start of a pod on its node.
type Start struct {
	At    time.Time
	Took  time.Duration
	Claim bool
}

// Results are the measurements of a driver under load.
type Results struct {
	Driver string   `json:"driver"`
	Nodes  []string `json:"nodes"`
	// Rate and Achieved are the requested and the actual number of pods per minute.
	Rate     float64 `json:"rate"`
	Achieved float64 `json:"achieved"`
	// FailedCalls is the number of failed calls, retried by kubelets.
	FailedCalls int           `json:"failedCalls"`
	Costs       []schema.Cost `json:"costs,omitempty"`
	Growth      []Growth      `json:"growth,omitempty"`
	// Faults are the moments of faults.
	Faults  []Moment `json:"faults,omitempty"`
	Windows []Window `json:"windows,omitempty"`
	Samples []Sample `json:"samples,omitempty"`
}

// Moment is the kill of a component on a node, by the time since the load began.
type Moment struct {
	Seconds float64 `json:"seconds"`
	What    string  `json:"what"`
	Node    string  `json:"node"`
}

// Window has the latencies of a part of the time, in seconds.
type Window struct {
	// Seconds is its start.
	Seconds   float64 `json:"seconds"`
	Prepare   Latency `json:"prepare"`
	Unprepare Latency `json:"unprepare"`
	PodStart  Latency `json:"podStart"`
}

// Latency summarizes durations.
type Latency struct {
	Count int     `json:"count"`
	P50   float64 `json:"p50"`
	P99   float64 `json:"p99"`
}

// Measurements besides those of life/costs: the start of a pod with a claim on its node.
const (
	podStartP50 = "pod start with claim p50"
	podStartP99 = "pod start with claim p99"
)

// windows is the number of windows, shortest their minimum length.
const (
	windows  = 60
	shortest = 10 * time.Second
)

// timed is a duration with its moment.
type timed struct {
	at   time.Time
	took time.Duration
}

// latencies are durations by kind.
type latencies struct{ prepare, unprepare, with, without []timed }

func (m Measured) latencies() (l latencies, failed int) {
	for _, calls := range m.Calls {
		for _, c := range calls {
			switch {
			case c.InProgress:
			case c.Error != "" || slices.ContainsFunc(c.Claims, func(claim spec.ClaimCall) bool { return claim.Error != "" }):
				failed++
			case c.Method == spec.Prepare:
				l.prepare = append(l.prepare, timed{c.Start, c.Took})
			case c.Method == spec.Unprepare:
				l.unprepare = append(l.unprepare, timed{c.Start, c.Took})
			}
		}
	}
	for _, s := range m.Starts {
		if s.Claim {
			l.with = append(l.with, timed{s.At, s.Took})
		} else {
			l.without = append(l.without, timed{s.At, s.Took})
		}
	}
	return l, failed
}

// Results computes the results.
func (m Measured) Results() Results {
	l, failed := m.latencies()
	r := Results{FailedCalls: failed, Samples: slices.Clone(m.Samples)}
	slices.SortFunc(r.Samples, func(a, b Sample) int { return cmp.Or(cmp.Compare(a.Node, b.Node), cmp.Compare(a.Seconds, b.Seconds)) })
	r.Costs = schema.WithLimits(m.costs(l), nil)
	r.Growth = append(m.slower(l), grown(r.Samples)...)
	length := max(shortest, m.Took/windows)
	for from := time.Duration(0); from < m.Took; from += length {
		within := func(all []timed) Latency { return latencyOf(between(all, m.Began.Add(from), m.Began.Add(from+length))) }
		r.Windows = append(r.Windows, Window{Seconds: from.Seconds(), Prepare: within(l.prepare), Unprepare: within(l.unprepare), PodStart: within(l.with)})
	}
	return r
}

func between(all []timed, from, until time.Time) (took []time.Duration) {
	for _, t := range all {
		if !t.at.Before(from) && t.at.Before(until) {
			took = append(took, t.took)
		}
	}
	return took
}

func latencyOf(took []time.Duration) Latency {
	return Latency{Count: len(took), P50: spec.Quantile(took, 0.5).Seconds(), P99: spec.Quantile(took, 0.99).Seconds()}
}

// costs are the measurements of life/costs under load, and the start of pods. Those without samples are left out.
func (m Measured) costs(l latencies) (all []spec.Measurement) {
	add := func(name, unit string, value float64, samples int) {
		if samples > 0 {
			all = append(all, spec.Measurement{Name: name, Unit: unit, Value: value, Samples: samples})
		}
	}
	quantile := func(name string, q float64, of []timed) {
		add(name, "s", spec.Quantile(tookOf(of), q).Seconds(), len(of))
	}
	quantile(spec.PrepareP50, 0.5, l.prepare)
	quantile(spec.PrepareP99, 0.99, l.prepare)
	quantile(spec.UnprepareP50, 0.5, l.unprepare)
	quantile(spec.UnprepareP99, 0.99, l.unprepare)
	quantile(podStartP50, 0.5, l.with)
	quantile(podStartP99, 0.99, l.with)
	if without := spec.Quantile(tookOf(l.without), 0.5); without > 0 {
		add(spec.PodStart, "s", (spec.Quantile(tookOf(l.with), 0.5) - without).Seconds(), len(l.with))
		add(spec.PodStartWithout, "s", without.Seconds(), len(l.without))
	}
	if m.Took > 0 {
		all = append(all, spec.Measurement{Name: spec.SliceWritesPerHour, Value: float64(m.SliceWrites) / m.Took.Hours(), Samples: m.SliceWrites})
	}
	memory, files := 0.0, 0.0
	for _, s := range m.Samples {
		memory, files = max(memory, float64(s.Memory)), max(files, float64(s.FileDescriptors))
	}
	add(spec.DriverMemory, "bytes", memory, len(m.Samples))
	add(spec.DriverFiles, "", files, len(m.Samples))
	return all
}

func tookOf(all []timed) []time.Duration {
	took := make([]time.Duration, 0, len(all))
	for _, t := range all {
		took = append(took, t.took)
	}
	return took
}
