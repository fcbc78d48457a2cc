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
	"time"

	"github.com/onsi/ginkgo/v2"
	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/metrics"
)

const (
	// apiServerLeases selects the leases of API servers in kube-system, which are renewed every 10
	// s and outlive their server (k8s.io/kubernetes v1.37.1, pkg/controlplane/apiserver/server.go,
	// IdentityLeaseRenewIntervalPeriod).
	apiServerLeases = "apiserver.kubernetes.io/identity=kube-apiserver"
	// renewedLately is the greatest age difference between the leases of two running API servers.
	renewedLately = time.Minute
)

// APIRequests returns the number of requests for a resource since the API server started, without
// watches and whatever their result. The count is of the whole cluster, so the case has to run
// alone (Needs.Alone). With several API servers, or an unknown number, the case is blocked: each
// one counts only its own requests, and any of them may answer.
func APIRequests(t *harness.T, group, resource string) float64 {
	ginkgo.GinkgoHelper()
	oneAPIServer(t)
	families, err := metrics.APIServer(t.Context(), t.Client)
	t.NoError(err, "read the API server's metrics")
	return requestsFor(families, group, resource)
}

// oneAPIServer blocks the case unless the cluster has exactly one API server.
func oneAPIServer(t *harness.T) {
	ginkgo.GinkgoHelper()
	leases, err := t.Client.CoordinationV1().Leases(metav1.NamespaceSystem).List(t.Context(), metav1.ListOptions{LabelSelector: apiServerLeases})
	t.NoError(err, "list the leases of API servers")
	if n := apiServers(leases.Items); n != 1 {
		t.Blockedf("%d API servers have a lease with label %s in kube-system, and the responses of only one are visible", n, apiServerLeases)
	}
}

// apiServers counts recently renewed leases, compared with the newest one.
func apiServers(leases []coordinationv1.Lease) int {
	var newest time.Time
	for _, l := range leases {
		if l.Spec.RenewTime != nil && l.Spec.RenewTime.After(newest) {
			newest = l.Spec.RenewTime.Time
		}
	}
	count := 0
	for _, l := range leases {
		if l.Spec.RenewTime != nil && newest.Sub(l.Spec.RenewTime.Time) < renewedLately {
			count++
		}
	}
	return count
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
