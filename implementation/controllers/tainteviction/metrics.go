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

package tainteviction

import (
	"time"

	"k8s.io/component-base/metrics"
)

// controllerMetrics have the same names as in kube-controller-manager.
type controllerMetrics struct {
	deletions *metrics.Counter
	latency   *metrics.Histogram
}

func newMetrics() *controllerMetrics {
	const subsystem = "device_taint_eviction_controller"
	return &controllerMetrics{
		deletions: metrics.NewCounter(&metrics.CounterOpts{
			Subsystem: subsystem, Name: "pod_deletions_total", StabilityLevel: metrics.ALPHA,
			Help: "Number of pods evicted because of device taints."}),
		latency: metrics.NewHistogram(&metrics.HistogramOpts{
			Subsystem: subsystem, Name: "pod_deletion_duration_seconds", StabilityLevel: metrics.ALPHA,
			Help:    "Latency in seconds between the time a pod had to be evicted and its eviction.",
			Buckets: []float64{0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 30, 60, 120, 180, 240}}),
	}
}

func (m *controllerMetrics) evicted(late time.Duration) {
	m.deletions.Inc()
	m.latency.Observe(late.Seconds())
}

// Register registers the controller's metrics, once per process.
func (c *Controller) Register(register func(...metrics.Registerable)) {
	register(c.metrics.deletions, c.metrics.latency)
}
