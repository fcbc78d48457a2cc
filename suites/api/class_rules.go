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
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// ClassRules writes invalid classes. A configuration is for one driver, with at most 10 Ki.
var ClassRules = harness.Case{Meta: spec.Meta{
	ID:       "api/class-rules",
	Checks:   "A class has at most 32 selectors and 32 valid configurations; others are rejected, on create and on update.",
	Requires: []spec.RequirementID{"resource-v1/class-list-limits", "kep-4381/class-config-one-driver", "resource-v1/parameters-10ki"},
	Needs:    spec.Needs{NoNode: true},
}, Run: func(t *harness.T) {
	selectors := func(n int) func(*resourceapi.DeviceClass) {
		return func(c *resourceapi.DeviceClass) {
			c.Spec.Selectors = numbered(n, func(int) resourceapi.DeviceSelector { return objects.Selector("true") })
		}
	}
	configs := func(n int) func(*resourceapi.DeviceClass) {
		return func(c *resourceapi.DeviceClass) {
			c.Spec.Config = numbered(n, func(i int) resourceapi.DeviceClassConfiguration {
				return objects.ClassParameters(name("driver", i), map[string]string{"a": "b"})
			})
		}
	}
	by := func(driver string) func(*resourceapi.DeviceClass) {
		return func(c *resourceapi.DeviceClass) {
			configs(2)(c)
			c.Spec.Config[1].Opaque.Driver = driver
		}
	}
	with := func(parameters string) func(*resourceapi.DeviceClass) {
		return func(c *resourceapi.DeviceClass) {
			configs(1)(c)
			c.Spec.Config[0].Opaque.Parameters.Raw = []byte(parameters)
		}
	}
	neither := func(c *resourceapi.DeviceClass) {
		configs(2)(c)
		c.Spec.Config[1].Opaque = nil
	}
	named := func(name string) func(*resourceapi.DeviceClass) {
		return func(c *resourceapi.DeviceClass) { c.Name = name }
	}
	const most = resourceapi.DeviceSelectorsMaxSize
	judgeClasses(t, []rule[*resourceapi.DeviceClass]{
		{"33 selectors", selectors(most), selectors(most + 1), "spec.selectors", tooMany},
		{"33 configurations of different drivers", configs(most), configs(most + 1), "spec.config", tooMany},
		{"a configuration of no driver", by("driver-0"), by(""), "spec.config[1].opaque.driver", required},
		{"a configuration of two drivers", by("driver-1.driver-2"), by("driver-1,driver-2"), "spec.config[1].opaque.driver", invalid},
		{"a list as parameters", with(`{"a":[]}`), with(`[]`), "spec.config[0].opaque.parameters", invalid},
		{"parameters of 10 Ki and one byte", with(parametersOf(resourceapi.OpaqueParametersMaxLength)), with(parametersOf(resourceapi.OpaqueParametersMaxLength + 1)),
			"spec.config[0].opaque.parameters", tooLong},
		{"a configuration without parameters", configs(2), neither, "spec.config[1].opaque", required},
	}...)
	judge(t, validClass, create(t, t.Client.ResourceV1().DeviceClasses()), []rule[*resourceapi.DeviceClass]{
		{"a name with a capital", named("dratest-api.class"), named("dratest-api.Class"), "metadata.name", invalid},
		{"a name of 254 characters", named(characters(253)), named(characters(254)), "metadata.name", ""},
	}...)
}}
