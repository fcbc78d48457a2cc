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

package extended

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/harnesstest"
	"github.com/dra-conformance/dratest/framework/spec"
)

func TestCountsEndWithTheCase(t *testing.T) {
	const resource corev1.ResourceName = "example.com/counted"
	f := harnesstest.New(t, spec.Meta{Needs: spec.Needs{NoKubelet: true}}, &harness.Env{}, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "a"}})
	expect := func(number int64, there bool) {
		t.Helper()
		n, err := f.Client.CoreV1().Nodes().Get(t.Context(), "a", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for what, list := range map[string]corev1.ResourceList{"capacity": n.Status.Capacity, "allocatable": n.Status.Allocatable} {
			if got, ok := list[resource]; ok != there || got.Value() != number {
				t.Errorf("%s %v, there %v", what, list, ok)
			}
		}
	}

	f.Succeeds(t, func() { countOn(f.T, "a", resource, 2) })
	expect(2, true)
	if err := f.End(t); err != nil {
		t.Error(err)
	}
	expect(0, false)
}
