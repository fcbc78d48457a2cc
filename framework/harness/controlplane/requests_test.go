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

	"github.com/dra-conformance/dratest/framework/metrics"
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
