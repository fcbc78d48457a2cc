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

package probe

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/spec"
)

func TestObserved(t *testing.T) {
	slice := func(name string, s resourceapi.ResourceSliceSpec) *resourceapi.ResourceSlice {
		return &resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: s}
	}
	client := fake.NewClientset(
		slice("plain", resourceapi.ResourceSliceSpec{Devices: []resourceapi.Device{{Name: "d"}}}),
		slice("counters", resourceapi.ResourceSliceSpec{SharedCounters: []resourceapi.CounterSet{{Name: "c"}}}),
		slice("shared", resourceapi.ResourceSliceSpec{Devices: []resourceapi.Device{{Name: "d", AllowMultipleAllocations: ptr.To(true)}}}),
		slice("bound", resourceapi.ResourceSliceSpec{Devices: []resourceapi.Device{{Name: "d", BindingConditions: []string{"x"}}}}),
		slice("tainted", resourceapi.ResourceSliceSpec{Devices: []resourceapi.Device{{Name: "d", Taints: []resourceapi.DeviceTaint{{Key: "x"}}}}}),
		&resourceapi.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: "class"}, Spec: resourceapi.DeviceClassSpec{ExtendedResourceName: ptr.To("a.example/b")}},
	)
	want := map[spec.Feature]string{
		spec.PartitionableDevices: "resourceslice counters", spec.ConsumableCapacity: "resourceslice shared",
		spec.BindingConditions: "resourceslice bound", spec.DeviceTaints: "resourceslice tainted", spec.ExtendedResource: "deviceclass class",
	}
	if d := cmp.Diff(want, observed(t.Context(), client)); d != "" {
		t.Error(d)
	}
	if got := observed(t.Context(), fake.NewClientset()); got != nil {
		t.Errorf("seen in an empty cluster: %v", got)
	}
}
