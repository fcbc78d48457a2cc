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

package prebind

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/metrics"
)

// scheduler is the scheduler of a control plane.
type scheduler struct {
	web *http.Client
	url string
}

// extended adds an extender for pods requesting heldResource to a scheduler's configuration.
func extended(c *clusters.Config, url string) {
	c.Scheduler = map[string]any{"extenders": []any{map[string]any{
		"urlPrefix": url, "filterVerb": "filter", "nodeCacheCapable": true, "httpTimeout": patience.String(),
		"managedResources": []any{map[string]any{"name": heldResource, "ignoredByScheduler": true}},
	}}}
}

// state is a scheduler's state from its metrics.
type state struct {
	// inFlight is the number of events kept in the scheduling queue for pods in flight.
	inFlight float64
	// resident is the process's resident memory in bytes.
	resident float64
}

func (s scheduler) look(ctx context.Context) (state, error) {
	families, err := metrics.Get(ctx, s.web, s.url+"/metrics")
	if err != nil {
		return state{}, fmt.Errorf("read metrics of the scheduler: %w", err)
	}
	var now state
	for _, metric := range families["scheduler_inflight_events"].GetMetric() {
		now.inFlight += metric.GetGauge().GetValue()
	}
	for _, metric := range families["process_resident_memory_bytes"].GetMetric() {
		now.resident = metric.GetGauge().GetValue()
	}
	if now.resident == 0 {
		return now, errors.New("the scheduler does not report its memory")
	}
	return now, nil
}
