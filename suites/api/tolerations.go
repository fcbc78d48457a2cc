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
	"github.com/dra-conformance/dratest/framework/issues"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Tolerations writes invalid tolerations, in requests and in alternatives: a label value with Equal, none with
// Exists; without a key only Exists.
var Tolerations = harness.Case{Meta: spec.Meta{
	ID:       "api/tolerations",
	Checks:   "A toleration has valid key, value, operator and effect; others are rejected.",
	Requires: []spec.RequirementID{"kep-5055/exists-without-value", "kep-5055/toleration-label"},
	Needs:    spec.Needs{NoNode: true, Features: []spec.Feature{spec.DeviceTaints}},
}, Run: func(t *harness.T) {
	judge(t, validClaim, createClaim(t), tolerationRules("spec.devices.requests[0].exactly.tolerations[0]", tolerating)...)
	judge(t, claimWithAlternatives, createClaim(t), tolerationRules("spec.devices.requests[0].firstAvailable[0].tolerations[0]", toleratingFirst)...)
}}

// tolerating gives the claim's first request tolerations.
func tolerating(tolerations ...resourceapi.DeviceToleration) func(*resourceapi.ResourceClaim) {
	return onRequest(func(r *resourceapi.ExactDeviceRequest) { r.Tolerations = tolerations })
}

// toleratingFirst gives tolerations to the first alternative of the claim's first request.
func toleratingFirst(tolerations ...resourceapi.DeviceToleration) func(*resourceapi.ResourceClaim) {
	return func(c *resourceapi.ResourceClaim) {
		c.Spec.Devices.Requests[0].FirstAvailable[0].Tolerations = tolerations
	}
}

func tolerationRules(field string, with func(...resourceapi.DeviceToleration) func(*resourceapi.ResourceClaim)) []rule[*resourceapi.ResourceClaim] {
	of := func(key string, operator resourceapi.DeviceTolerationOperator, value string) func(*resourceapi.ResourceClaim) {
		return with(resourceapi.DeviceToleration{Key: key, Operator: operator, Value: value})
	}
	const equal, exists = resourceapi.DeviceTolerationOpEqual, resourceapi.DeviceTolerationOpExists
	return []rule[*resourceapi.ResourceClaim]{
		{"an unknown operator", of("key", exists, ""), of("key", "NotIn", ""), field + ".operator", notSupported},
		{"a value with Exists", of("key", exists, ""), of("key", exists, "value"), field + ".value", invalid},
		{"a key with a blank", of("a-key", exists, ""), of("a key", exists, ""), field + ".key", invalid},
		{"a key with two slashes", of("a.b/c", exists, ""), of("a.b/c/d", exists, ""), field + ".key", invalid},
		{"a key of 64 characters", of(characters(63), exists, ""), of(characters(64), exists, ""), field + ".key", invalid},
		{"a value with a blank", of("key", equal, "a-value"), of("key", equal, "a value"), field + ".value", invalid},
		{"a value with a slash", of("key", equal, "a.value"), of("key", equal, "a/value"), field + ".value", invalid},
		{"a value of 64 characters", of("key", equal, characters(63)), of("key", equal, characters(64)), field + ".value", invalid},
	}
}

// TolerationWithoutKey writes a toleration with Equal and without a key.
var TolerationWithoutKey = harness.Case{Meta: spec.Meta{
	ID:         "api/toleration-without-key",
	Checks:     "A toleration without a key and with the operator Equal is rejected; with Exists it is accepted.",
	Requires:   []spec.RequirementID{"kep-5055/exists-without-value"},
	Needs:      spec.Needs{NoNode: true, Features: []spec.Feature{spec.DeviceTaints}},
	KnownIssue: issues.Known("toleration-without-key"),
}, Run: func(t *harness.T) {
	by := func(operator resourceapi.DeviceTolerationOperator) func(*resourceapi.ResourceClaim) {
		return tolerating(resourceapi.DeviceToleration{Operator: operator})
	}
	judgeKnown(t, validClaim, createClaim(t), rule[*resourceapi.ResourceClaim]{
		"a toleration without a key, with Equal", by(resourceapi.DeviceTolerationOpExists), by(resourceapi.DeviceTolerationOpEqual),
		"spec.devices.requests[0].exactly.tolerations[0].operator", "",
	})
}}

// TolerationLimit writes a request with one toleration too many.
var TolerationLimit = harness.Case{Meta: spec.Meta{
	ID:         "api/toleration-limit",
	Checks:     "A request with 17 tolerations is rejected; with 16 it is accepted.",
	Requires:   []spec.RequirementID{"kep-5055/tolerations-16"},
	Needs:      spec.Needs{NoNode: true, Features: []spec.Feature{spec.DeviceTaints}},
	KnownIssue: issues.Known("toleration-limit"),
}, Run: func(t *harness.T) {
	several := func(n int) func(*resourceapi.ResourceClaim) {
		return tolerating(numbered(n, func(i int) resourceapi.DeviceToleration {
			return resourceapi.DeviceToleration{Key: name("key", i), Operator: resourceapi.DeviceTolerationOpExists}
		})...)
	}
	judgeKnown(t, validClaim, createClaim(t), rule[*resourceapi.ResourceClaim]{
		"17 tolerations", several(resourceapi.DeviceTolerationsMaxLength), several(resourceapi.DeviceTolerationsMaxLength + 1),
		"spec.devices.requests[0].exactly.tolerations", tooMany,
	})
}}

// TolerationEffects writes tolerations with unknown effects.
var TolerationEffects = harness.Case{Meta: spec.Meta{
	ID:         "api/toleration-effects",
	Checks:     "The effect of a toleration is NoSchedule, NoExecute or empty; others are rejected.",
	Requires:   []spec.RequirementID{"kep-5055/toleration-effects"},
	Needs:      spec.Needs{NoNode: true, Features: []spec.Feature{spec.DeviceTaints}},
	KnownIssue: issues.Known("toleration-effects"),
}, Run: func(t *harness.T) {
	of := func(effect resourceapi.DeviceTaintEffect) func(*resourceapi.ResourceClaim) {
		return tolerating(resourceapi.DeviceToleration{Key: "key", Operator: resourceapi.DeviceTolerationOpExists, Effect: effect})
	}
	const field = "spec.devices.requests[0].exactly.tolerations[0].effect"
	judge(t, validClaim, createClaim(t), []rule[*resourceapi.ResourceClaim]{
		{"an effect valid only for nodes", of(resourceapi.DeviceTaintEffectNoSchedule), of("PreferNoSchedule"), field, notSupported},
		{"an effect in small letters", of(resourceapi.DeviceTaintEffectNoExecute), of("noExecute"), field, notSupported},
	}...)
	judgeKnown(t, validClaim, createClaim(t), rule[*resourceapi.ResourceClaim]{
		"a toleration with the effect None", of(""), of(resourceapi.DeviceTaintEffectNone), field, notSupported,
	})
}}
