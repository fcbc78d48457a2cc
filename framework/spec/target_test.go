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

package spec_test

import (
	"maps"
	"testing"

	"github.com/dra-conformance/dratest/framework/spec"
)

func TestTargetString(t *testing.T) {
	for _, tc := range []struct {
		stack map[string]string
		want  string
	}{
		{nil, "Kubernetes v1"},
		{map[string]string{"scheduler": "stock"}, "Kubernetes v1"},
		{map[string]string{"scheduler": "own"}, "Kubernetes v1 with own scheduler"},
		{map[string]string{"scheduler": "own", "controllers": "stock", "kubelet": "own on worker2"}, "Kubernetes v1 with own kubelet on worker2, scheduler"},
		{map[string]string{"scheduler": "other", "kubelet": "own on a; other on b"}, "Kubernetes v1 with own kubelet on a and other kubelet on b, scheduler"},
		{map[string]string{"scheduler": "own", "kubelet": "own", "controllers": "stock"}, "Kubernetes v1 with own kubelet, scheduler"},
	} {
		if got := (spec.Target{Kubernetes: "v1", Stack: tc.stack}).String(); got != tc.want {
			t.Errorf("got %q, want %q", got, tc.want)
		}
	}
}

func TestStackOf(t *testing.T) {
	c := func(name, node string, whose spec.Provenance) spec.Component {
		return spec.Component{Name: name, Node: node, Whose: whose}
	}
	got := spec.StackOf([]spec.Component{
		c(spec.Scheduler, "a", spec.Stock), c(spec.Scheduler, "b", spec.Stock), c(spec.Controllers, "a", spec.Other),
		c(spec.Kubelet, "a", spec.Stock), c(spec.Kubelet, "b", spec.Own), c(spec.Kubelet, "c", spec.Other), c(spec.Kubelet, "d", spec.Own),
	})
	want := map[string]string{"scheduler": "stock", "controllers": "other", "kubelet": "own on b, d; other on c"}
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
