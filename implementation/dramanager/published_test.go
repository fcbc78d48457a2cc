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

package dramanager

import (
	"testing"

	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

func TestSlicesHaveTheTaintsOfRules(t *testing.T) {
	slice := &resourceapi.ResourceSlice{Spec: resourceapi.ResourceSliceSpec{Driver: driver, Pool: resourceapi.ResourcePool{Name: "pool"}, Devices: []resourceapi.Device{{Name: "a"}, {Name: "b"}}}}
	other := slice.DeepCopy()
	other.Spec.Pool.Name = "other"
	rule := &resourceapi.DeviceTaintRule{ObjectMeta: metav1.ObjectMeta{Name: "rule"}, Spec: resourceapi.DeviceTaintRuleSpec{
		DeviceSelector: &resourceapi.DeviceTaintSelector{Pool: ptr.To("pool"), Device: ptr.To("b")},
		Taint:          resourceapi.DeviceTaint{Key: "broken", Effect: resourceapi.DeviceTaintEffectNoSchedule},
	}}
	m, err := New(Objects{Slices: []*resourceapi.ResourceSlice{slice, other}, TaintRules: []*resourceapi.DeviceTaintRule{rule}})
	if err != nil {
		t.Fatal(err)
	}
	listed, err := m.ResourceSlices().ListWithDeviceTaintRules()
	if err != nil || len(listed) != 2 {
		t.Fatalf("%d slices and error %v", len(listed), err)
	}
	if n := len(listed[0].Spec.Devices[0].Taints); n != 0 {
		t.Errorf("device a has %d taints", n)
	}
	if taints := listed[0].Spec.Devices[1].Taints; len(taints) != 1 || taints[0].Key != "broken" {
		t.Errorf("device b has taints %v", taints)
	}
	if listed[1] != other {
		t.Error("a slice that no rule is about was copied")
	}
	if len(slice.Spec.Devices[1].Taints) != 0 {
		t.Error("the caller's slice was modified")
	}
	m.RemoveSlices(func(s *resourceapi.ResourceSlice) bool { return s.Spec.Pool.Name == "pool" })
	if left, _ := m.ResourceSlices().ListWithDeviceTaintRules(); len(left) != 1 || left[0] != other {
		t.Errorf("left are %v", left)
	}
}

func TestClassesServeExtendedResources(t *testing.T) {
	explicit := &resourceapi.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: "gpu"}, Spec: resourceapi.DeviceClassSpec{ExtendedResourceName: ptr.To("example.com/gpu")}}
	m, err := New(Objects{Classes: []*resourceapi.DeviceClass{explicit, {ObjectMeta: metav1.ObjectMeta{Name: "any"}}}})
	if err != nil {
		t.Fatal(err)
	}
	resolver := m.DeviceClassResolver()
	if got := resolver.GetDeviceClass("example.com/gpu"); got != explicit {
		t.Errorf("the explicit name: got %v", got)
	}
	if got := resolver.GetDeviceClass("deviceclass.resource.kubernetes.io/any"); got == nil || got.Name != "any" {
		t.Errorf("the implicit name: got %v", got)
	}
	if got := resolver.GetDeviceClass("example.com/none"); got != nil {
		t.Errorf("no class: got %v", got)
	}
	if classes, err := m.DeviceClasses().List(); err != nil || len(classes) != 2 || classes[0].Name != "any" {
		t.Errorf("got %v and error %v", classes, err)
	}
	if _, err := m.DeviceClasses().Get("none"); !apierrors.IsNotFound(err) {
		t.Errorf("got error %v, want NotFound", err)
	}
}
