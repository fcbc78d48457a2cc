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
	"strings"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/spec"
)

// DeviceAttributes writes invalid attributes and capacities: names are C identifiers with or without a domain,
// attributes have one value of at most 64 characters.
var DeviceAttributes = harness.Case{Meta: spec.Meta{
	ID:     "api/device-attributes",
	Checks: "A device has at most 32 uniquely and validly named attributes and capacities; others are rejected.",
	Requires: []spec.RequirementID{
		"kep-4381/attribute-one-type", "kep-4381/attribute-names-unique", "kep-4381/attributes-and-capacities-32",
		"kep-4381/qualified-name-format", "kep-4381/qualified-name-length", "kep-4381/attribute-value-64", "kep-4381/version-attribute-semver",
	},
	Needs: spec.Needs{NoNode: true},
}, Run: func(t *harness.T) {
	judgeSlices(t, validSlice, append(attributeValues(),
		append(qualifiedNames("attributes", attribute), qualifiedNames("capacity", capacity)...)...)...)

	t.Step("write a quantity as an attribute, then attributes and capacities of one name")
	const before, after = `{"apiVersion":"resource.k8s.io/v1","kind":"ResourceSlice","metadata":{"name":"dratest-api"},"spec":{"driver":"` + driver +
		`","pool":{"name":"pool","generation":1,"resourceSliceCount":1},"allNodes":true,"devices":[{"name":"device",`, `}]}}`
	for _, valid := range []string{`"attributes":{"a":{"int":1}}`, `"attributes":{"a":{"int":1},"b":{"int":2}}`, `"capacity":{"a":{"value":"1"},"b":{"value":"2"}}`} {
		t.NoError(createRaw(t, "resourceslices", before+valid+after), "create a slice with %s", valid)
	}
	notKnown(t, createRaw(t, "resourceslices", before+`"attributes":{"a":{"int":1,"quantity":"1"}}`+after), "spec.devices[0].attributes.a.quantity")
	attributes := createRaw(t, "resourceslices", before+`"attributes":{"a":{"int":1},"a":{"int":2}}`+after)
	capacities := createRaw(t, "resourceslices", before+`"capacity":{"a":{"value":"1"},"a":{"value":"2"}}`+after)
	t.Expect(notStrict(attributes, `duplicate field "spec.devices[0].attributes.a"`)).To(gomega.BeEmpty(), "two attributes of one name")
	t.Expect(notStrict(capacities, `duplicate field "spec.devices[0].capacity.a"`)).To(gomega.BeEmpty(), "two capacities of one name")
}}

// attribute adds an attribute to the device, capacity a capacity.
func attribute(name resourceapi.QualifiedName) func(*resourceapi.ResourceSlice) {
	return valued(name, resourceapi.DeviceAttribute{BoolValue: ptr.To(true)})
}

func valued(name resourceapi.QualifiedName, value resourceapi.DeviceAttribute) func(*resourceapi.ResourceSlice) {
	return onDevice(func(d *resourceapi.Device) {
		d.Attributes = map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{name: value}
	})
}

func capacity(name resourceapi.QualifiedName) func(*resourceapi.ResourceSlice) {
	return onDevice(func(d *resourceapi.Device) {
		d.Capacity = map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{name: {Value: resource.MustParse("1")}}
	})
}

func attributeValues() []rule[*resourceapi.ResourceSlice] {
	value := func(value resourceapi.DeviceAttribute) func(*resourceapi.ResourceSlice) { return valued("a", value) }
	text := func(s string) func(*resourceapi.ResourceSlice) {
		return value(resourceapi.DeviceAttribute{StringValue: &s})
	}
	version := func(s string) func(*resourceapi.ResourceSlice) {
		return value(resourceapi.DeviceAttribute{VersionValue: &s})
	}
	both := func(attributes, capacities int) func(*resourceapi.ResourceSlice) {
		return onDevice(func(d *resourceapi.Device) {
			d.Attributes, d.Capacity = map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{}, map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{}
			for i := range attributes {
				d.Attributes[numberedName(i)] = resourceapi.DeviceAttribute{IntValue: ptr.To(int64(i))}
			}
			for i := range capacities {
				d.Capacity[numberedName(i)] = resourceapi.DeviceCapacity{Value: resource.MustParse("1")}
			}
		})
	}
	one, yes := ptr.To(int64(1)), ptr.To(true)
	const device, field, longest = "spec.devices[0]", "spec.devices[0].attributes[a]", resourceapi.DeviceAttributeMaxValueLength
	return []rule[*resourceapi.ResourceSlice]{
		{"no value", value(resourceapi.DeviceAttribute{IntValue: one}), value(resourceapi.DeviceAttribute{}), field, lacking},
		{"a number and a boolean", value(resourceapi.DeviceAttribute{BoolValue: yes}), value(resourceapi.DeviceAttribute{BoolValue: yes, IntValue: one}), field, invalid},
		{"a string and a version", version("1.2.3"), value(resourceapi.DeviceAttribute{StringValue: ptr.To("s"), VersionValue: ptr.To("1.2.3")}), field, invalid},
		{"a string of 65 characters", text(characters(longest)), text(characters(longest + 1)), field + ".string", tooLong},
		{"a version of 65 characters", version("1.2.3-" + characters(longest-6)), version("1.2.3-" + characters(longest-5)), field + ".version", tooLong},
		{"a version of two numbers", version("1.2.0"), version("1.2"), field + ".version", invalid},
		{"a version of four numbers", version("1.2.3"), version("1.2.3.4"), field + ".version", invalid},
		{"a version starting with v", version("1.2.3"), version("v1.2.3"), field + ".version", invalid},
		{"a version with a leading zero", version("0.2.3"), version("01.2.3"), field + ".version", invalid},
		{"a prerelease with a leading zero", version("1.2.3-0"), version("1.2.3-01"), field + ".version", invalid},
		{"an empty prerelease", version("1.2.3-alpha.1+01"), version("1.2.3-alpha..1"), field + ".version", invalid},
		{"an empty version", version("0.0.0"), version(""), field + ".version", invalid},
		{"33 attributes", both(32, 0), both(33, 0), device, invalid},
		{"33 capacities", both(0, 32), both(0, 33), device, invalid},
		{"33 attributes and capacities", both(16, 16), both(16, 17), device, invalid},
	}
}

func numberedName(i int) resourceapi.QualifiedName {
	return resourceapi.QualifiedName(strings.ReplaceAll(name("a", i), "-", "_"))
}

// qualifiedNames are the rules for the names of attributes, or of capacities.
func qualifiedNames(of string, named func(resourceapi.QualifiedName) func(*resourceapi.ResourceSlice)) []rule[*resourceapi.ResourceSlice] {
	// refusal returns a rule with a valid name and an invalid one. Releases before 1.36 report the name in
	// the path.
	refusal := func(what string, accepted, refused resourceapi.QualifiedName, why metav1.CauseType) rule[*resourceapi.ResourceSlice] {
		field := "spec.devices[0]." + of
		return rule[*resourceapi.ResourceSlice]{of + " " + what, named(accepted), named(refused), field + " or " + field + "[" + string(refused) + "]", why}
	}
	domain, identifier := resourceapi.QualifiedName(characters(resourceapi.DeviceMaxDomainLength)), resourceapi.QualifiedName(characters(resourceapi.DeviceMaxIDLength))
	return []rule[*resourceapi.ResourceSlice]{
		refusal("without a name", "a", "", lacking),
		refusal("with a name starting with a digit", "_1a", "1a", invalid),
		refusal("with a name with a dash", "A_b", "A-b", invalid),
		refusal("with a name with a dot", "a.b/c", "a.b", invalid),
		refusal("with nothing before the slash", "a/b", "/b", lacking),
		refusal("with nothing after the slash", "a/b", "a/", lacking),
		refusal("with an underscore in the domain", "a-b/c_d", "a_b/c_d", invalid),
		refusal("with an identifier of 33 characters", identifier, identifier+"a", tooLong),
		refusal("with an identifier of 33 characters after a domain", "a.b/"+identifier, "a.b/"+identifier+"a", tooLong),
		refusal("with a domain of 64 characters", domain+"/a", domain+"a/a", tooLong),
	}
}
