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

package undertest

import (
	"cmp"
	"time"

	"github.com/onsi/ginkgo/v2"
	corev1 "k8s.io/api/core/v1"

	"github.com/dra-conformance/dratest/framework/spec"
)

// Costs measures the driver's resource use and latency on a node while pods of the case come and
// go.
type Costs struct {
	d     *Driver
	proxy *Proxy
	// slices are those of all nodes; before is their number of states when measuring began.
	slices *SliceHistory
	before int
	begun  time.Time
	seen   costs
}

// settled is how long slices have to be unchanged before writes are counted: writes that follow a
// restart of the driver, by another case perhaps, come within 30 s (k8s.io/kubernetes v1.37.1
// pkg/kubelet/cm/dra/manager.go, k8s.io/dynamic-resource-allocation v0.37.1 resourceslice). A
// driver that never settles is measured after settles.
const (
	settled = 35 * time.Second
	settles = 2 * time.Minute
)

// costs are the samples.
type costs struct {
	prepare, unprepare []time.Duration
	// with and without a claim, from the creation of a pod until it runs.
	with, without []time.Duration
	use           []spec.ProcessUse
	// writes counts the writes of slices while they were watched.
	writes  int
	watched time.Duration
}

// Measure begins to measure on a node through a proxy, once the driver's slices have settled.
func (d *Driver) Measure(node string) *Costs {
	ginkgo.GinkgoHelper()
	c := &Costs{d: d, proxy: d.Between(node, spec.Proxy{Measure: true}), slices: d.WatchSlices()}
	c.before, c.begun = c.slices.awaitQuiet(settled, settles), time.Now()
	return c
}

// RunPod runs a pod with or without claims of the driver and measures how long it takes.
func (c *Costs) RunPod(pod *corev1.Pod) {
	ginkgo.GinkgoHelper()
	begun := time.Now()
	c.d.t.RunPod(pod)
	took := time.Since(begun)
	if len(pod.Spec.ResourceClaims) == 0 {
		c.seen.without = append(c.seen.without, took)
		return
	}
	c.seen.with = append(c.seen.with, took)
	status, err := c.proxy.status(c.d.t.Context())
	c.d.t.NoError(err, "ask the proxy for the driver's resource usage")
	if status.Process == nil || status.Problem != "" {
		c.d.t.SetBlocked("the driver's resource usage cannot be read")
		c.d.t.Fatalf("the proxy on %s does not report the driver's resource usage: %s", c.proxy.node, status.Problem)
	}
	c.seen.use = append(c.seen.use, *status.Process)
}

// Report ends measuring and adds the measurements to the report. It ends the case if the driver's
// slices were invalid meanwhile, and blocks it if calls bypassed the proxy.
func (c *Costs) Report() []spec.Measurement {
	ginkgo.GinkgoHelper()
	c.slices.ExpectSound()
	c.seen.writes, c.seen.watched = c.slices.states-c.before, time.Since(c.begun)
	c.seen.prepare, c.seen.unprepare = took(c.proxy.Seen(spec.Prepare)), took(c.proxy.Seen(spec.Unprepare))
	all := c.seen.measurements()
	for _, m := range all {
		c.d.t.Note("%s: %g %s, of %d", m.Name, m.Value, cmp.Or(m.Unit, "in number"), m.Samples)
	}
	c.d.t.SetMeasured(all)
	return all
}

func took(calls []spec.Call) []time.Duration {
	all := make([]time.Duration, 0, len(calls))
	for _, call := range calls {
		all = append(all, call.Took)
	}
	return all
}

// measurements computes percentiles and maxima. With few samples the 99th percentile is the
// maximum.
func (c costs) measurements() []spec.Measurement {
	seconds := func(name string, q float64, values []time.Duration) spec.Measurement {
		return spec.Measurement{Name: name, Unit: "s", Value: spec.Quantile(values, q).Seconds(), Samples: len(values)}
	}
	use := func(name, unit string, of func(spec.ProcessUse) float64) spec.Measurement {
		m := spec.Measurement{Name: name, Unit: unit, Samples: len(c.use)}
		for _, u := range c.use {
			m.Value = max(m.Value, of(u))
		}
		return m
	}
	start := seconds(spec.PodStart, 0.5, c.with)
	start.Value -= spec.Quantile(c.without, 0.5).Seconds()
	return []spec.Measurement{
		seconds(spec.PrepareP50, 0.5, c.prepare), seconds(spec.PrepareP99, 0.99, c.prepare),
		seconds(spec.UnprepareP50, 0.5, c.unprepare), seconds(spec.UnprepareP99, 0.99, c.unprepare),
		start, seconds(spec.PodStartWithout, 0.5, c.without),
		{Name: spec.SliceWritesPerHour, Value: float64(c.writes) / c.watched.Hours(), Samples: c.writes},
		use(spec.DriverMemory, "bytes", func(u spec.ProcessUse) float64 { return float64(u.Memory) }),
		use(spec.DriverFiles, "", func(u spec.ProcessUse) float64 { return float64(u.FileDescriptors) }),
	}
}
