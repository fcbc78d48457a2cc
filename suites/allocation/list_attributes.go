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
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// ListAttributes selects devices by list attributes and by others.
var ListAttributes = harness.Case{Meta: spec.Meta{
	ID:       "allocation/list-attributes",
	Checks:   "List attributes match if all devices share a value, are distinct if no two do, and support includes().",
	Requires: []spec.RequirementID{"kep-5491/cel-includes", "kep-5491/match-intersection", "kep-5491/distinct-disjoint"},
	Needs:    spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.ListAttributes, spec.ConsumableCapacity}},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	of := func(name string, links ...string) resourceapi.Device {
		d := device(name, nil)
		a := resourceapi.DeviceAttribute{StringValues: links}
		if len(links) == 1 {
			a = resourceapi.DeviceAttribute{StringValue: ptr.To(links[0])}
		}
		d.Attributes["links"] = a
		d.Attributes["set"] = resourceapi.DeviceAttribute{StringValue: ptr.To(strings.Split(name, "-")[0])}
		return d
	}
	// Each two of the triangle have a link in common, all three have none.
	t.Publish("pool", t.Nodes[0],
		of("triangle-ab", "a", "b"), of("triangle-bc", "b", "c"), of("triangle-ca", "c", "a"),
		of("star-ab", "a", "b"), of("star-a", "a"), of("star-ca", "c", "a"),
		of("path-ab", "a", "b"), of("path-c", "c"), of("path-cd", "c", "d"), of("path-de", "d", "e"),
		of("fork-ab", "a", "b"), of("fork-bx", "b", "x"), of("fork-ay", "a", "y"), of("fork-az", "a", "z"))
	in := func(set string) string { return t.Attribute("set") + " == '" + set + "'" }
	links := resourceapi.FullyQualifiedName(t.DriverName() + "/links")
	distinct := resourceapi.DeviceConstraint{DistinctAttribute: &links}

	t.Expect(use(t, objects.Claim("list", objects.Request("req", class, in("star"), t.Attribute("links")+".includes('c')")))).
		To(matchers.HaveDevices("star-ca"), "the device of a set with a value in its list")
	t.Expect(use(t, objects.Claim("value", objects.Request("req", class, in("path"), t.Attribute("links")+".includes('c')", "!"+t.Attribute("links")+".includes('d')")))).
		To(matchers.HaveDevices("path-c"), "the device of a set with a single value, not a list")
	release(t, "list")
	release(t, "value")

	wait(t, constrained(objects.Claim("triangle", count("req", class, 3, in("triangle"))), match(t, "links")))
	t.Expect(use(t, constrained(objects.Claim("star", count("req", class, 3, in("star"))), match(t, "links")))).
		To(matchers.HaveDevices("star-ab", "star-a", "star-ca"), "three devices with a common value")
	// The first two have only b in common, so the second one has to be given back (kubernetes#140325).
	t.Expect(use(t, constrained(objects.Claim("fork", count("req", class, 3, in("fork"))), match(t, "links")))).
		To(matchers.HaveDevices("fork-ab", "fork-ay", "fork-az"), "three devices with a common value behind others")
	wait(t, constrained(objects.Claim("four", count("req", class, 4, in("path"))), distinct))
	t.Expect(use(t, constrained(objects.Claim("path", count("req", class, 3, in("path"))), distinct))).
		To(matchers.HaveDevices("path-ab", "path-c", "path-de"), "three devices, no two with a common value")
}}
