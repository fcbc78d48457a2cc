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

package controller

import (
	"time"

	"k8s.io/component-base/metrics"
)

// controllerMetrics are a driver's metrics. Those of the work queue are registered with
// k8s.io/component-base/metrics/prometheus/workqueue, under the name "classic_DRIVER".
type controllerMetrics struct{ calls *metrics.HistogramVec }

func newMetrics() *controllerMetrics {
	return &controllerMetrics{metrics.NewHistogramVec(&metrics.HistogramOpts{
		Subsystem: "classic_dra", Name: "driver_call_duration_seconds", StabilityLevel: metrics.ALPHA,
		Help:    "Duration of driver calls in seconds, by operation (parameters, allocate, deallocate, unsuitable_nodes) and status (success, failure).",
		Buckets: metrics.ExponentialBuckets(0.001, 4, 8),
	}, []string{"operation", "status"})}
}

func (m *controllerMetrics) time(operation string, call func() error) error {
	start, status := time.Now(), "success"
	err := call()
	if err != nil {
		status = "failure"
	}
	m.calls.WithLabelValues(operation, status).Observe(time.Since(start).Seconds())
	return err
}

// Register registers the controller's metrics, once per process.
func (c *Controller) Register(register func(...metrics.Registerable)) { register(c.metrics.calls) }
