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

package controlplane

import (
	"github.com/onsi/ginkgo/v2"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/metrics"
)

// APIRequests returns the number of requests for a resource since the API server started, without
// watches and whatever their result. The count is of the whole cluster, so the case has to run
// alone (Needs.Alone), and of one server (Needs.OneAPIServer).
func APIRequests(t *harness.T, group, resource string) float64 {
	ginkgo.GinkgoHelper()
	families, err := metrics.APIServer(t.Context(), t.Client)
	t.NoError(err, "read the API server's metrics")
	return requestsFor(families, group, resource)
}

// requestsFor sums the request counters for a resource.
func requestsFor(families metrics.Families, group, resource string) float64 {
	total := 0.0
	for _, m := range families["apiserver_request_total"].GetMetric() {
		if metrics.Label(m, "group") == group && metrics.Label(m, "resource") == resource && metrics.Label(m, "verb") != "WATCH" {
			total += m.GetCounter().GetValue()
		}
	}
	return total
}
