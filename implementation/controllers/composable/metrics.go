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

package composable

import (
	"time"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/component-base/metrics"

	"github.com/dra-conformance/dratest/implementation/fabricplan"
)

type controllerMetrics struct {
	requests, outcomes       *metrics.CounterVec
	detachments, sliceWrites *metrics.Counter
	latency                  *metrics.Histogram
}

func newMetrics() *controllerMetrics {
	const subsystem = "composable_controller"
	counter := func(name, help string) *metrics.Counter {
		return metrics.NewCounter(&metrics.CounterOpts{Subsystem: subsystem, Name: name, Help: help, StabilityLevel: metrics.ALPHA})
	}
	vector := func(name, help string, labels ...string) *metrics.CounterVec {
		return metrics.NewCounterVec(&metrics.CounterOpts{Subsystem: subsystem, Name: name, Help: help, StabilityLevel: metrics.ALPHA}, labels)
	}
	return &controllerMetrics{
		requests:    vector("fabric_requests_total", "Number of requests to the fabric, by operation and result (answered, error).", "operation", "result"),
		outcomes:    vector("attachments_total", "Number of device conditions reported to the scheduler, by reason.", "reason"),
		detachments: counter("detachments_total", "Number of detached idle devices."),
		sliceWrites: counter("slice_writes_total", "Number of ResourceSlice creations, updates and deletions."),
		latency: metrics.NewHistogram(&metrics.HistogramOpts{
			Subsystem: subsystem, Name: "attach_duration_seconds", StabilityLevel: metrics.ALPHA,
			Help:    "Latency in seconds between the allocation of a claim (recorded in whole seconds) and the report of its attached device to the scheduler.",
			Buckets: []float64{1, 2, 5, 10, 20, 30, 60, 120, 300, 600}}),
	}
}

func (m *controllerMetrics) asked(operation string, err error) {
	result := "answered"
	if err != nil {
		result = "error"
	}
	m.requests.WithLabelValues(operation, result).Inc()
}

// observe counts a device reported to the scheduler.
func (m *controllerMetrics) observe(claim *resourceapi.ResourceClaim, reason string) {
	m.outcomes.WithLabelValues(reason).Inc()
	if at := claim.Status.Allocation.AllocationTimestamp; at != nil && reason == fabricplan.ReasonAttached {
		m.latency.Observe(time.Since(at.Time).Seconds())
	}
}

// Register registers the controller's metrics, once per process.
func (c *Controller) Register(register func(...metrics.Registerable)) {
	register(c.metrics.requests, c.metrics.outcomes, c.metrics.detachments, c.metrics.sliceWrites, c.metrics.latency)
}
