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
	// apiServerLeases are those that each API server has in kube-system, which it renews
	// every 10 s and which outlive it (k8s.io/kubernetes v1.37.1,
	// pkg/controlplane/apiserver/server.go, IdentityLeaseRenewIntervalPeriod).
	apiServerLeases = "apiserver.kubernetes.io/identity=kube-apiserver"
	// renewedLately is how much older than the newest the lease of an API server that is
	// there can be.
	renewedLately = time.Minute
)

// APIRequests is how many requests for a resource the API server has answered since it
// started, whatever came of them, as it counts them itself; those that watch are left out.
// The number is of the whole cluster, so that a case needs it for itself (Needs.Alone).
// Where there are several API servers, or it cannot be told how many, the case is blocked:
// each counts what it has answered itself, and who will be asked is chance.
func APIRequests(t *harness.T, group, resource string) float64 {
	ginkgo.GinkgoHelper()
	leases, err := t.Client.CoordinationV1().Leases(metav1.NamespaceSystem).List(t.Context(), metav1.ListOptions{LabelSelector: apiServerLeases})
	t.NoError(err, "list the leases of API servers")
	if n := apiServers(leases.Items); n != 1 {
		t.Blockedf("%d API servers have a lease with label %s in kube-system, and the responses of only one are visible", n, apiServerLeases)
	}
	families, err := metrics.APIServer(t.Context(), t.Client)
	t.NoError(err, "read the API server's metrics")
	return requestsFor(families, group, resource)
}

// apiServers counts those that have renewed their leases lately, by their own clocks: the
// newest tells what time it is.
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

// requestsFor sums up what the API server says of its requests.
func requestsFor(families metrics.Families, group, resource string) float64 {
	total := 0.0
	for _, m := range families["apiserver_request_total"].GetMetric() {
		if metrics.Label(m, "group") == group && metrics.Label(m, "resource") == resource && metrics.Label(m, "verb") != "WATCH" {
			total += m.GetCounter().GetValue()
		}
	}
	return total
}
