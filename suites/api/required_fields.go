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
	"encoding/json"
	"strconv"
	"strings"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/spec"
)

// RequiredFields writes objects without one of their required fields.
var RequiredFields = harness.Case{Meta: spec.Meta{
	ID:       "api/required-fields",
	Checks:   "A claim, a class and a slice without a required field are rejected with that field named.",
	Requires: []spec.RequirementID{"resource-v1/required-fields"},
	Needs:    spec.Needs{NoNode: true},
}, Run: func(t *harness.T) {
	claim := claimWithConstraint()
	claim.Spec.Devices.Config = claimWithConfig().Spec.Devices.Config
	onRequest(func(r *resourceapi.ExactDeviceRequest) { r.Selectors = validClass().Spec.Selectors })(claim)
	class := validClass()
	class.Spec.Config = fullClass().Spec.Config
	slice := validSlice()
	valued("a", fullSlice().Spec.Devices[0].Attributes["a"])(slice)
	for _, o := range []struct {
		resource, kind string
		object         any
		fields         []string
	}{
		{"resourceclaims", "ResourceClaim", claim, []string{
			"spec.devices.requests[0].name", "spec.devices.requests[0].exactly.deviceClassName", "spec.devices.requests[0].exactly.selectors[0].cel",
			"spec.devices.requests[0].exactly.selectors[0].cel.expression", "spec.devices.config[0].opaque", "spec.devices.config[0].opaque.driver",
			"spec.devices.config[0].opaque.parameters",
		}},
		{"deviceclasses", "DeviceClass", class, []string{
			"spec.selectors[0].cel", "spec.selectors[0].cel.expression", "spec.config[0].opaque", "spec.config[0].opaque.driver", "spec.config[0].opaque.parameters",
		}},
		{"resourceslices", "ResourceSlice", slice, []string{
			"spec.driver", "spec.pool.name", "spec.pool.resourceSliceCount", "spec.devices[0].name", "spec.devices[0].attributes[a].int",
		}},
	} {
		raw, err := json.Marshal(o.object)
		t.NoError(err, "encode the %s", o.resource)
		var content map[string]any
		t.NoError(json.Unmarshal(raw, &content), "decode the %s", o.resource)
		content["apiVersion"], content["kind"] = group+"/v1", o.kind
		write := func(content map[string]any) error {
			body, err := json.Marshal(content)
			t.NoError(err, "encode the %s", o.resource)
			return createRaw(t, o.resource, string(body))
		}
		t.NoError(write(content), "create %s with all required fields", o.resource)
		for _, field := range o.fields {
			copied := runtime.DeepCopyJSON(content)
			t.Expect(remove(copied, field)).To(gomega.BeTrue(), "%s has %s", o.resource, field)
			// The value of an attribute is missing in the attribute.
			named := strings.TrimSuffix(field, ".int")
			t.Expect(notRefused(write(copied), named, "")).To(gomega.BeEmpty(), "%s without %s", o.resource, field)
		}
	}
}}

// remove deletes the field of a path, such as "spec.requests[0].name", from an object, and reports
// whether it existed.
func remove(object map[string]any, path string) bool {
	steps := strings.FieldsFunc(path, func(r rune) bool { return strings.ContainsRune(".[]", r) })
	last := len(steps) - 1
	var at any = object
	for _, step := range steps[:last] {
		switch in := at.(type) {
		case map[string]any:
			at = in[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i >= len(in) {
				return false
			}
			at = in[i]
		}
	}
	in, ok := at.(map[string]any)
	if ok {
		_, ok = in[steps[last]]
		delete(in, steps[last])
	}
	return ok
}
