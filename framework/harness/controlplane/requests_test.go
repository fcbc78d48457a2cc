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
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/harnesstest"
	"github.com/dra-conformance/dratest/framework/metrics"
	"github.com/dra-conformance/dratest/framework/spec"
)

func TestRequestsFor(t *testing.T) {
	families, err := metrics.Parse(strings.NewReader(`# TYPE apiserver_request_total counter
apiserver_request_total{code="200",group="resource.k8s.io",resource="resourceclaims",verb="GET"} 3
apiserver_request_total{code="404",group="resource.k8s.io",resource="resourceclaims",verb="GET"} 1
apiserver_request_total{code="200",group="resource.k8s.io",resource="resourceclaims",subresource="status",verb="PUT"} 2
apiserver_request_total{code="200",group="resource.k8s.io",resource="resourceclaims",verb="WATCH"} 50
apiserver_request_total{code="200",group="resource.k8s.io",resource="resourceslices",verb="LIST"} 70
apiserver_request_total{code="200",group="",resource="resourceclaims",verb="GET"} 90
`))
	if err != nil {
		t.Fatal(err)
	}
	if got := requestsFor(families, "resource.k8s.io", "resourceclaims"); got != 6 {
		t.Errorf("got %g, want 6", got)
	}
}

// With two API servers, the count of one was taken for the count of both.
func TestRequestsOfSeveralAPIServersAreNotCounted(t *testing.T) {
	now := time.Now()
	lease := func(name string, age time.Duration) *coordinationv1.Lease {
		return &coordinationv1.Lease{
			ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "kube-system", Labels: map[string]string{"apiserver.kubernetes.io/identity": "kube-apiserver"}},
			Spec:       coordinationv1.LeaseSpec{RenewTime: &metav1.MicroTime{Time: now.Add(-age)}},
		}
	}
	f := harnesstest.New(t, spec.Meta{}, &harness.Env{}, lease("a", 0), lease("b", 9*time.Second), lease("gone", 50*time.Minute))
	failed := f.Fails(t, func() { APIRequests(f.T, "resource.k8s.io", "resourceclaims") })
	if failed == nil || !strings.Contains(failed.Text, "2 API servers") || failed.Blocked == "" {
		t.Errorf("two: got %+v", failed)
	}
	for want, leases := range map[int][]coordinationv1.Lease{
		0: {{}},
		1: {*lease("a", time.Hour), *lease("gone", 2*time.Hour)}, // its clock is not ours
	} {
		if got := apiServers(leases); got != want {
			t.Errorf("got %d, want %d", got, want)
		}
	}
}
