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
	"strings"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// CELExpressions has selectors, each distinguishing two devices in a different way.
var CELExpressions = harness.Case{Meta: spec.Meta{
	ID:     "allocation/cel-expressions",
	Checks: "CEL selectors compare quantities, booleans and versions, use cel.bind, and handle missing attributes and domains.",
	Requires: []spec.RequirementID{"kep-4381/cel-capacity-is-quantity", "kep-4381/cel-unknown-domain-empty", "resource-v1/cel-optional", "kep-4381/attribute-domain",
		"kep-4381/cel-selectors", "kep-4381/cel-bind"},
	Needs: spec.Needs{NoKubelet: true},
}, Run: func(t *harness.T) {
	mine := "device.attributes['" + t.DriverName() + "']"
	memory := "device.capacity['" + t.DriverName() + "'].memory"
	expressions := []string{
		memory + ".compareTo(quantity('1000Mi')) > 0",
		memory + ".isGreaterThan(quantity('1Gi').sub(quantity('1')).add(quantity('1')))",
		"quantity('1024Mi').isLessThan(" + memory + ")",
		"has(" + mine + ".extra)",
		mine + ".?extra.orValue('none') == 'yes'",
		mine + "[?'extra'].hasValue()",
		"'extra' in " + mine,
		"size(device.attributes['unknown.example.com']) == 0 && has(" + mine + ".extra)",
		"!has(device.attributes['unknown.example.com'].extra) && !has(device.capacity['unknown.example.com'].extra) && 'extra' in " + mine,
		"size(device.attributes['domain.example.com']) == 1",
		"device.attributes['domain.example.com'].?a.orValue(0) == 1 && !('a' in " + mine + ")",
		mine + ".?own.orValue(0) == 1",
		mine + ".flag",
		mine + ".version.isGreaterThan(semver('1.9.0'))",
		"cel.bind(m, " + memory + ", m.isGreaterThan(quantity('1Gi')) && m.isLessThan(quantity('3Gi')))",
	}
	var devices []resourceapi.Device
	var requests []resourceapi.DeviceRequest
	var want []string
	class := t.CreateClass(nil)
	for i, expression := range expressions {
		request := fmt.Sprintf("request-%d", i)
		not, yes := device(request+"-not", map[string]any{"row": i}), device(request+"-yes", map[string]any{"row": i, "extra": "yes", "domain.example.com/a": 1, t.DriverName() + "/own": 1})
		not.Capacity = map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{profiles.Memory: {Value: resource.MustParse("999Mi")}}
		yes.Capacity = map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{profiles.Memory: {Value: resource.MustParse("2Gi")}}
		not.Attributes["flag"], yes.Attributes["flag"] = resourceapi.DeviceAttribute{BoolValue: ptr.To(false)}, resourceapi.DeviceAttribute{BoolValue: ptr.To(true)}
		not.Attributes["version"], yes.Attributes["version"] = resourceapi.DeviceAttribute{VersionValue: ptr.To("1.9.0")}, resourceapi.DeviceAttribute{VersionValue: ptr.To("1.10.0")}
		devices, want = append(devices, not, yes), append(want, request+"=pool/"+request+"-yes")
		requests = append(requests, objects.Request(request, class, fmt.Sprintf("%s == %d", t.Attribute("row"), i), expression))
	}
	t.Publish("pool", t.Nodes[0], devices...)

	t.Expect(results(use(t, objects.Claim("claim", requests...)))).To(gomega.Equal(want), "the device selected by each expression, of %s", strings.Join(expressions, "; "))
}}
