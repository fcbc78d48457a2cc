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

package generate

import (
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"
)

// sharedAttribute is an attribute of all drivers' devices.
const sharedAttribute = "dra.example.net/pcie"

// device makes a device with everything but counters.
func (g *generator) device(name, driver string, selectsNodes bool) resourceapi.Device {
	d := resourceapi.Device{Name: name, Attributes: g.attributes(driver)}
	if selectsNodes {
		where := g.selection()
		d.NodeName, d.AllNodes, d.NodeSelector = where.nodeName, where.allNodes, where.nodeSelector
	}
	if g.knobs[taints] && g.chance(50) {
		for range g.between(1, 2) {
			d.Taints = append(d.Taints, g.taint())
		}
	}
	if g.knobs[binding] && g.chance(50) {
		switch g.IntN(3) {
		case 0:
			d.BindsToNode = ptr.To(g.chance(80))
		case 1:
			d.BindingConditions = []string{"example.com/attached"}
		default:
			d.BindsToNode = ptr.To(true)
			d.BindingConditions = []string{"example.com/attached", "example.com/powered"}
			d.BindingFailureConditions = []string{"example.com/failed"}
		}
	}
	if g.knobs[shares] && g.chance(70) {
		g.addCapacity(&d, driver)
	} else if g.chance(20) {
		d.Capacity = map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{"memory": {Value: quantity(pick(g, "10Gi", "40Gi"))}}
	}
	return d
}

func (g *generator) taint() resourceapi.DeviceTaint {
	return resourceapi.DeviceTaint{
		Key:    pick(g, "broken", "reserved"),
		Value:  pick(g, "", "yes", "no"),
		Effect: pick(g, resourceapi.DeviceTaintEffectNoSchedule, resourceapi.DeviceTaintEffectNoSchedule, resourceapi.DeviceTaintEffectNoExecute, resourceapi.DeviceTaintEffectNone),
	}
}

// attributes have few distinct values, so devices form groups.
func (g *generator) attributes(driver string) map[resourceapi.QualifiedName]resourceapi.DeviceAttribute {
	all := map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{}
	set := func(name string, attribute resourceapi.DeviceAttribute) {
		if g.knobs[attributesMissing] && g.chance(25) {
			return
		}
		if g.chance(15) {
			name = driver + "/" + name
		}
		all[resourceapi.QualifiedName(name)] = attribute
	}
	set("model", resourceapi.DeviceAttribute{StringValue: ptr.To(pick(g, "small", "big"))})
	set("numa", g.numa())
	set("ecc", resourceapi.DeviceAttribute{BoolValue: ptr.To(g.chance(50))})
	set("firmware", resourceapi.DeviceAttribute{VersionValue: ptr.To(pick(g, "1.0.0", "1.2.0", "1.2.0+a", "2.0.0-rc.1"))})
	if !g.knobs[attributesMissing] || g.chance(70) {
		all[sharedAttribute] = resourceapi.DeviceAttribute{StringValue: ptr.To(pick(g, "p0", "p1", "p2"))}
	}
	return all
}

// numa is an integer, rarely of another type.
func (g *generator) numa() resourceapi.DeviceAttribute {
	n := g.Int64N(3)
	switch {
	case g.knobs[attributesMissing] && g.chance(5):
		return resourceapi.DeviceAttribute{StringValue: ptr.To("0")}
	case g.knobs[future] && g.chance(20):
		return resourceapi.DeviceAttribute{IntValues: []int64{n}}
	}
	return resourceapi.DeviceAttribute{IntValue: &n}
}
