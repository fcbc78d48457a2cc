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

package objects

import (
	"testing"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/utils/ptr"
)

// TestLikeDevice: the scheduler accepts the expression, and it is true for the device alone.
func TestLikeDevice(t *testing.T) {
	const driver = "gpu.example.com"
	device := func() resourceapi.Device {
		return resourceapi.Device{Name: "gpu-0", Attributes: map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{
			"model": {StringValue: ptr.To(`a "big" one`)}, "resource.kubernetes.io/pcieRoot": {StringValue: ptr.To("pci0000:01")},
			"index": {IntValue: ptr.To[int64](-1)}, "ecc": {BoolValue: ptr.To(false)}, "firmware": {VersionValue: ptr.To("1.2.3-rc.1")},
		}}
	}
	selectors := LikeDevice(driver, device())
	if len(selectors) != 1 {
		t.Fatalf("%d selectors", len(selectors))
	}
	program := cel.GetCompiler(cel.Features{}).CompileCELExpression(selectors[0].CEL.Expression, cel.Options{})
	if program.Error != nil {
		t.Fatalf("%s: %v", selectors[0].CEL.Expression, program.Error)
	}
	for name, tc := range map[string]struct {
		change func(resourceapi.Device)
		like   bool
	}{
		"itself":         {func(resourceapi.Device) {}, true},
		"one without it": {func(d resourceapi.Device) { delete(d.Attributes, "model") }, false},
		"another model": {func(d resourceapi.Device) {
			d.Attributes["model"] = resourceapi.DeviceAttribute{StringValue: ptr.To("a")}
		}, false},
		"another version": {func(d resourceapi.Device) {
			d.Attributes["firmware"] = resourceapi.DeviceAttribute{VersionValue: ptr.To("1.2.3")}
		}, false},
	} {
		d := device()
		tc.change(d)
		like, _, err := program.DeviceMatches(t.Context(), cel.Device{Driver: driver, Attributes: d.Attributes})
		if err != nil || like != tc.like {
			t.Errorf("%s: %t, %v", name, like, err)
		}
	}
	if got := LikeDevice(driver, resourceapi.Device{}); got != nil {
		t.Errorf("selectors for a device without attributes: %v", got)
	}
}
