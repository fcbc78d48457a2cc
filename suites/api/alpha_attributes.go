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

package api

import (
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// ListAttributes writes list attributes: of one type, not empty, with strings and versions of at most 64 characters.
var ListAttributes = harness.Case{Meta: spec.Meta{
	ID:       "api/list-attributes",
	Checks:   "A list attribute is a non-empty list of one type, and a device has at most 48 attribute values; others are rejected.",
	Requires: []spec.RequirementID{"kep-5491/list-attribute", "kep-5491/list-value-64", "kep-5491/values-48", "resource-v1/slice-64-devices-with-features"},
	Needs:    spec.Needs{NoNode: true, Features: []spec.Feature{spec.ListAttributes}},
}, Run: func(t *harness.T) {
	value := func(value resourceapi.DeviceAttribute) func(*resourceapi.ResourceSlice) { return valued("a", value) }
	ints := func(n int) resourceapi.DeviceAttribute {
		return resourceapi.DeviceAttribute{IntValues: numbered(n, func(i int) int64 { return int64(i) })}
	}
	texts := func(values ...string) func(*resourceapi.ResourceSlice) {
		return value(resourceapi.DeviceAttribute{StringValues: values})
	}
	versions := func(values ...string) func(*resourceapi.ResourceSlice) {
		return value(resourceapi.DeviceAttribute{VersionValues: values})
	}
	with := func(a, b resourceapi.DeviceAttribute) func(*resourceapi.ResourceSlice) {
		return onDevice(func(d *resourceapi.Device) {
			d.Attributes = map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{"a": a, "b": b}
		})
	}
	devices := func(n int, last resourceapi.DeviceAttribute) func(*resourceapi.ResourceSlice) {
		return func(s *resourceapi.ResourceSlice) {
			s.Spec.Devices = numbered(n, func(i int) resourceapi.Device { return resourceapi.Device{Name: name("device", i)} })
			s.Spec.Devices[n-1].Attributes = map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{"a": last}
		}
	}
	single := resourceapi.DeviceAttribute{IntValue: ptr.To(int64(1))}
	listAndValue, twoLists := ints(1), ints(1)
	listAndValue.IntValue = single.IntValue
	twoLists.BoolValues = []bool{true}
	const field, longest, version = "spec.devices[0].attributes[a]", resourceapi.DeviceAttributeMaxValueLength, "1.2.3-"
	const most = resourceapi.ResourceSliceMaxDevicesWithAdvancedFeatures
	judge(t, validSlice, createSlice(t), []rule[*resourceapi.ResourceSlice]{
		{"a list and a value", value(ints(1)), value(listAndValue), field, invalid},
		{"lists of two types", value(resourceapi.DeviceAttribute{BoolValues: []bool{true}}), value(twoLists), field, invalid},
		{"a string of 65 characters in a list", texts("", characters(longest)), texts("", characters(longest+1)), field + ".strings[1]", tooLong},
		{"a version of 65 characters in a list", versions(version + characters(longest-len(version))), versions(version + characters(longest-len(version)+1)),
			field + ".versions[0]", tooLong},
		{"a version of two numbers in a list", versions("1.2.0"), versions("1.2"), field + ".versions[0]", invalid},
		{"a list of 49 values", value(ints(48)), value(ints(49)), "spec.devices[0]", invalid},
		{"49 values in two attributes", with(ints(47), single), with(ints(48), single), "spec.devices[0]", invalid},
		{"65 devices, one of them with a list", devices(most, ints(1)), devices(most+1, ints(1)), "spec.devices", tooMany},
	}...)
	const before, after = `{"apiVersion":"resource.k8s.io/v1","kind":"ResourceSlice","metadata":{"name":"dratest-api"},"spec":{"driver":"` + driver +
		`","pool":{"name":"pool","generation":1,"resourceSliceCount":1},"allNodes":true,"devices":[{"name":"device","attributes":{"a":{"ints":`, `}}}]}}`
	t.NoError(createRaw(t, "resourceslices", before+`[1]`+after), "create a slice with a list")
	if problem := notRefused(createRaw(t, "resourceslices", before+`[]`+after), field+".ints", ""); problem != "" {
		t.Fatalf("an empty list: %s", problem)
	}
}}

// DerivedAttributes writes requests with derived attributes: full names, expressions of at most 10 Ki within one
// budget together.
var DerivedAttributes = harness.Case{Meta: spec.Meta{
	ID:       "api/derived-attributes",
	Checks:   "A request has at most 32 derived attributes, used by constraints, with valid expressions; others are rejected.",
	Requires: []spec.RequirementID{"kep-6080/derived-must-be-used", "kep-6080/derived-32", "kep-6080/derived-name", "kep-6080/derived-cost"},
	Needs:    spec.Needs{NoNode: true, Features: []spec.Feature{spec.DerivedAttributes}},
}, Run: func(t *harness.T) {
	derived := func(name resourceapi.FullyQualifiedName, expression string) resourceapi.DeviceDerivedAttribute {
		return resourceapi.DeviceDerivedAttribute{Name: name, Expression: expression}
	}
	// with has a constraint for each of the attributes.
	with := func(all ...resourceapi.DeviceDerivedAttribute) func(*resourceapi.ResourceClaim) {
		return func(c *resourceapi.ResourceClaim) {
			c.Spec.Devices.Requests[0].Exactly.DerivedAttributes = all
			c.Spec.Devices.Constraints = numbered(min(len(all), 32), func(i int) resourceapi.DeviceConstraint {
				return resourceapi.DeviceConstraint{MatchAttribute: &all[i].Name}
			})
		}
	}
	of := func(name resourceapi.FullyQualifiedName) func(*resourceapi.ResourceClaim) {
		return with(derived(name, "1"))
	}
	by := func(expression string) func(*resourceapi.ResourceClaim) { return with(derived("a.b/c", expression)) }
	several := func(n int, expression string) func(*resourceapi.ResourceClaim) {
		return with(numbered(n, func(i int) resourceapi.DeviceDerivedAttribute {
			return derived(resourceapi.FullyQualifiedName(fmt.Sprintf("a.b/c%d", i)), expression)
		})...)
	}
	unused := func(c *resourceapi.ResourceClaim) {
		of("a.b/c")(c)
		c.Spec.Devices.Constraints = nil
	}
	elsewhere := func(c *resourceapi.ResourceClaim) {
		c.Spec.Devices.Requests = append(c.Spec.Devices.Requests, objects.Request("other", "class"))
		of("a.b/c")(c)
		c.Spec.Devices.Constraints[0].Requests = []string{"other"}
	}
	const field, longest = "spec.devices.requests[0].exactly.derivedAttributes", resourceapi.CELSelectorExpressionMaxLength
	judge(t, validClaim, createClaim(t), []rule[*resourceapi.ResourceClaim]{
		{"an attribute not used by a constraint", of("a.b/c"), unused, field + "[0].name", invalid},
		{"an attribute used by a constraint of another request", of("a.b/c"), elsewhere, field + "[0].name", invalid},
		{"33 attributes", several(32, "1"), several(33, "1"), field, tooMany},
		{"an attribute twice", with(derived("a.b/c", "1"), derived("a.b/d", "1")), with(derived("a.b/c", "1"), derived("a.b/c", "1")), field + "[1]", duplicate},
		{"an attribute without a domain", of("a.b/c"), of("c"), field + "[0].name", invalid},
		{"an attribute with a dash", of("a.b/c_d"), of("a.b/c-d"), field + "[0].name", invalid},
		{"an invalid expression", by("1"), by("one"), field + "[0].expression", invalid},
		{"no expression", by("1"), by(""), field + "[0].expression", required},
		{"10 Ki and one character", by(long(longest)), by(long(longest + 1)), field + "[0].expression", tooLong},
		{"a cost above the limit", by(costly(3)), by(costly(4)), field + "[0].expression", forbidden},
		{"costs exceeding the limit together", several(1, costly(3)), several(32, costly(3)), "spec.devices", forbidden},
	}...)
}}
