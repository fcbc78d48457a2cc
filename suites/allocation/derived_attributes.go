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

package allocation

import (
	"fmt"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// derivedName is an attribute of no driver.
const derivedName resourceapi.FullyQualifiedName = "derived/group"

// derive adds a derived attribute to the claim's first request, and a constraint matching it.
func derive(claim *resourceapi.ResourceClaim, name resourceapi.FullyQualifiedName, expression string) *resourceapi.ResourceClaim {
	claim.Spec.Devices.Requests[0].Exactly.DerivedAttributes = []resourceapi.DeviceDerivedAttribute{{Name: name, Expression: expression}}
	return constrained(claim, resourceapi.DeviceConstraint{MatchAttribute: &name})
}

// DerivedAttributes matches devices by the values of an expression.
var DerivedAttributes = harness.Case{Meta: spec.Meta{
	ID:       "allocation/derived-attributes",
	Checks:   "Devices match in a derived attribute of any type, and it takes the place of the device's own in constraints.",
	Requires: []spec.RequirementID{"kep-6080/derived-in-constraints", "kep-6080/derived-sees-device", "kep-6080/derived-result-type", "kep-6080/derived-shadows"},
	Needs:    spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.DerivedAttributes, spec.ConsumableCapacity}},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	// Only the first and the last of a row match, independent of the search order.
	of := func(row, i, slot int) resourceapi.Device {
		d := device(fmt.Sprintf("row-%d-%d", row, i), map[string]any{"row": row, "slot": slot, "numa": i})
		d.Attributes["version"] = resourceapi.DeviceAttribute{VersionValue: ptr.To(fmt.Sprintf("1.%d.0", slot))}
		d.Capacity = map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{"memory": {Value: resource.MustParse(fmt.Sprintf("%dGi", slot))}}
		d.AllowMultipleAllocations = ptr.To(slot == 1)
		return d
	}
	slot, mine := t.Attribute("slot"), resourceapi.FullyQualifiedName(t.DriverName()+"/numa")
	rows := []struct {
		name       resourceapi.FullyQualifiedName
		expression string
	}{
		{derivedName, slot},
		{derivedName, "'slot-' + string(" + slot + ")"},
		{derivedName, slot + " == 1"},
		{derivedName, "semver(" + t.Attribute("version") + " == semver('1.1.0') ? '1.0.0' : '2.0.0')"},
		{derivedName, "device.driver + string(" + slot + ")"},
		{derivedName, "device.capacity['" + t.DriverName() + "'].memory.isGreaterThan(quantity('1Gi'))"},
		{derivedName, "device.allowMultipleAllocations"},
		{mine, slot}, // the devices' own are all different
	}
	var devices []resourceapi.Device
	for row := range rows {
		devices = append(devices, of(row, 0, 1), of(row, 1, 2), of(row, 2, 1))
	}
	t.Publish("pool", t.Nodes[0], devices...)

	for row, r := range rows {
		name := fmt.Sprintf("row-%d", row)
		claim := use(t, derive(objects.Claim(name, count("req", class, 2, fmt.Sprintf("%s == %d", t.Attribute("row"), row))), r.name, r.expression))
		t.Expect(claim).To(matchers.HaveDevices(name+"-0", name+"-2"), "devices matching in %s, which is %s", r.name, r.expression)
	}
}}

// DerivedPerRequest has two requests derive one attribute, each in its own way.
var DerivedPerRequest = harness.Case{Meta: spec.Meta{
	ID:       "allocation/derived-per-request",
	Checks:   "Devices of two requests match in an attribute that each request derives by its own expression.",
	Requires: []spec.RequirementID{"kep-6080/derived-in-constraints", "kep-6080/derived-per-request"},
	Needs:    spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.DerivedAttributes}},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	of := func(kind, attribute string, values ...int) (devices []resourceapi.Device) {
		for i, value := range values {
			devices = append(devices, device(fmt.Sprintf("%s-%d", kind, i), map[string]any{"kind": kind, attribute: value}))
		}
		return devices
	}
	t.Publish("cards", t.Nodes[0], of("card", "numa", 0, 1, 2)...)
	t.Publish("ports", t.Nodes[0], of("port", "socket", 3, 5, 8)...)
	request := func(kind, expression string) resourceapi.DeviceRequest {
		r := objects.Request(kind, class, t.Attribute("kind")+" == '"+kind+"'")
		r.Exactly.DerivedAttributes = []resourceapi.DeviceDerivedAttribute{{Name: derivedName, Expression: expression}}
		return r
	}
	claim := objects.Claim("claim", request("card", t.Attribute("numa")), request("port", t.Attribute("socket")+" - 5"))
	name := derivedName
	t.Expect(use(t, constrained(claim, resourceapi.DeviceConstraint{MatchAttribute: &name}))).To(matchers.HaveDevices("card-0", "port-1"), "matching devices")
}}

// DerivedErrors has expressions failing for some devices.
var DerivedErrors = harness.Case{Meta: spec.Meta{
	ID:       "allocation/derived-errors",
	Checks:   "A pod stays pending with a reason if a derived attribute fails or is a float, unless selectors exclude the device.",
	Requires: []spec.RequirementID{"kep-6080/derived-error", "kep-6080/derived-result-type", "kep-6080/derived-after-selectors", "kep-6080/derived-not-in-selectors"},
	Needs:    spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.DerivedAttributes}},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	t.Publish("pool", t.Nodes[0], device("bare", nil), device("a", map[string]any{"slot": 1}), device("b", map[string]any{"slot": 1}))
	two := func(name string, selectors ...string) *resourceapi.ResourceClaim {
		return objects.Claim(name, count("req", class, 2, selectors...))
	}
	slot := t.Attribute("slot")

	fails := derive(two("fails"), derivedName, slot)
	t.Create(fails, objects.Pod("fails", t.Image, "fails"))
	t.WaitEvent("fails", "FailedScheduling", "no such key: slot")
	typed := derive(two("typed"), derivedName, "dyn(1.5)") // the API server knows the type of 1.5, and rejects it
	t.Create(typed, objects.Pod("typed", t.Image, "typed"))
	t.WaitEvent("typed", "FailedScheduling", "float64")

	unseen := derive(two("unseen", "has(device.attributes['derived'].group)"), derivedName, "1")
	wait(t, unseen)
	t.Expect(use(t, derive(two("selected", "has("+slot+")"), derivedName, slot))).To(matchers.HaveDevices("a", "b"), "devices with a valid result of the expression")
	// Each attempt fails, not only the first one.
	for _, name := range []string{"fails", "typed"} {
		t.WaitEventTimes(name, "FailedScheduling", "", 2)
		t.Expect(t.PodNow(name).Spec.NodeName).To(gomega.BeEmpty(), "node of pod %s", name)
	}
}}

// DerivedLists matches devices by the values of lists.
var DerivedLists = harness.Case{Meta: spec.Meta{
	ID:       "allocation/derived-lists",
	Checks:   "Devices match on a derived list if their lists share a value. A derived list of mixed types is an error.",
	Requires: []spec.RequirementID{"kep-6080/derived-result-type"},
	Needs:    spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.DerivedAttributes, spec.ListAttributes}},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	slot, numa := t.Attribute("slot"), t.Attribute("numa")
	lists := []string{
		"[" + numa + " - 10, " + slot + " + 10]",
		"['numa-' + string(" + numa + "), 'slot-' + string(" + slot + ")]",
		"[" + slot + " == 1]",
		"[semver('0.' + string(" + numa + ") + '.0'), semver('1.' + string(" + slot + ") + '.0')]",
	}
	var devices []resourceapi.Device
	for row := range lists {
		for i, slot := range []int{1, 2, 1} {
			devices = append(devices, device(fmt.Sprintf("row-%d-%d", row, i), map[string]any{"row": row, "slot": slot, "numa": i}))
		}
	}
	t.Publish("pool", t.Nodes[0], devices...)
	of := func(name string, row int, list string) *resourceapi.ResourceClaim {
		return derive(objects.Claim(name, count("req", class, 2, fmt.Sprintf("%s == %d", t.Attribute("row"), row))), derivedName, list)
	}
	mixed := of("mixed", 0, "[dyn(1), dyn('1')]")
	t.Create(mixed, objects.Pod("mixed", t.Image, "mixed"))
	t.WaitEvent("mixed", "FailedScheduling", "list element")
	for row, list := range lists {
		name := fmt.Sprintf("row-%d", row)
		t.Expect(use(t, of(name, row, list))).To(matchers.HaveDevices(name+"-0", name+"-2"), "devices matching in %s, which is %s", derivedName, list)
	}
}}
