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
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/issues"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// CapacityDomain requests a capacity by both of its names.
var CapacityDomain = harness.Case{Meta: spec.Meta{
	ID:         "allocation/capacity-domain",
	Checks:     "A capacity published without a domain can be requested with the driver's.",
	Requires:   []spec.RequirementID{"resource-v1/name-in-drivers-domain"},
	Needs:      spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.ConsumableCapacity}},
	KnownIssue: issues.Known("kubernetes#142202"),
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	t.Publish("pool", t.Nodes[0], shared("device", map[string]resourceapi.DeviceCapacity{"memory": amount("8Gi")}))
	t.Expect(consumed(use(t, objects.Claim("short", capacity("req", class, map[string]string{"memory": "3Gi"}))))).
		To(gomega.Equal([]string{"req=device memory:3Gi"}), "capacity requested by its published name")
	wait(t, objects.Claim("foreign", capacity("req", class, map[string]string{"other.example.com/memory": "1Gi"})))

	full := t.DriverName() + "/memory"
	t.Create(objects.Claim("full", capacity("req", class, map[string]string{full: "5Gi"})), objects.Pod("full", t.Image, "full"))
	if !scheduled(t, "full") {
		t.KnownIssue("a request for capacity %q is not satisfied by capacity %q of driver %s", full, "memory", t.DriverName())
		return
	}
	t.Expect(consumed(t.Claim("full"))).To(gomega.Equal([]string{"req=device memory:5Gi"}), "capacity requested with the driver's domain")
	wait(t, objects.Claim("too-much", capacity("req", class, map[string]string{full: "1Gi"})))
}}

// VersionBuilds constrains devices with versions of several builds.
var VersionBuilds = harness.Case{Meta: spec.Meta{
	ID:         "allocation/version-builds",
	Checks:     "Versions that differ only in build metadata are equal for constraints.",
	Requires:   []spec.RequirementID{"resource-v1/versions-compared-as-semver"},
	Needs:      spec.Needs{NoKubelet: true},
	KnownIssue: issues.Known("version-builds"),
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	var devices []resourceapi.Device
	for _, d := range []struct{ name, version string }{{"old", "1.0.0-rc.1+a"}, {"one", "1.0.0+a"}, {"same", "1.0.0+b"}} {
		devices = append(devices, resourceapi.Device{Name: d.name, Attributes: map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{
			"firmware": {VersionValue: ptr.To(d.version)},
		}})
	}
	t.Publish("pool", t.Nodes[0], devices...)

	t.Create(constrained(objects.Claim("pair", count("req", class, 2)), match(t, "firmware")), objects.Pod("pair", t.Image, "pair"))
	if !scheduled(t, "pair") {
		t.KnownIssue("devices with versions 1.0.0+a and 1.0.0+b have no version in common")
		return
	}
	t.Expect(t.Claim("pair")).To(matchers.HaveDevices("one", "same"), "devices of one version")
}}
