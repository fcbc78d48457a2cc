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

package hard

import (
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"
)

// Variant is a variant of one pod requesting one device on 500 nodes of 8 devices.
type Variant struct {
	Name     string
	selector string
	// unique gives each device a unique attribute, so no selector result is valid for two devices.
	unique bool
	fits   bool
	// Counted variants contribute to the smallest ratio.
	Counted bool
}

// Variants returns all of them.
func Variants() []Variant {
	const twoTerms = `device.driver == "gpu.example.com" && device.attributes["gpu.example.com"].model == "a"`
	const never = `device.driver == "gpu.example.com" && device.attributes["gpu.example.com"].model == "b"`
	return []Variant{
		{Name: "no selector", fits: true, Counted: true},
		{Name: "two-term selector", selector: twoTerms, fits: true, Counted: true},
		{Name: "never matches", selector: never, Counted: true},
		{Name: "never matches, each device unique", selector: never, unique: true},
	}
}

// Filter500 is the problem of a variant.
func Filter500(v Variant) Task {
	t := Task{Fits: v.fits, Devices: 8}
	for n := range 500 {
		at := node(n)
		all := devices(8)
		for i := range all {
			all[i].Attributes = map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{
				"model": {StringValue: ptr.To("a")},
				"index": {IntValue: ptr.To(int64(i))},
			}
			if v.unique {
				all[i].Attributes["uuid"] = resourceapi.DeviceAttribute{StringValue: ptr.To(fmt.Sprintf("%d-%d", n, i))}
			}
		}
		t.Nodes = append(t.Nodes, at)
		t.Slices = append(t.Slices, slice("devices", at.Name, all))
	}
	claim := claimFor(0, 1)
	if v.selector != "" {
		claim.Spec.Devices.Requests[0].Exactly.Selectors = []resourceapi.DeviceSelector{{CEL: &resourceapi.CELDeviceSelector{Expression: v.selector}}}
	}
	t.Claims = []*resourceapi.ResourceClaim{claim}
	return t
}
