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

package eviction

import (
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// RuleSelectors has rules for some of the devices in use: by driver, pool and name. Rules without
// selector, for another driver or without a matching device in the pool evict no pod.
var RuleSelectors = harness.Case{Meta: spec.Meta{
	ID:       "eviction/rule-selectors",
	Checks:   "A DeviceTaintRule affects only devices matching all its criteria.",
	Requires: []spec.RequirementID{"kep-5055/rule-by-driver-pool-device", "kep-5055/rule-selector"},
	Needs:    spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.DeviceTaints, spec.DeviceTaintRules}},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	// Pool names include the namespace: a rule by pool alone must not match other cases.
	first, second := t.Namespace+"-first", t.Namespace+"-second"
	users(t, class, first, t.Nodes[0], "a", "b", "c", "d")
	users(t, class, second, t.Nodes[0], "e", "f", "g")
	rule := func(name string, selector *resourceapi.DeviceTaintSelector) {
		r := objects.TaintRule(name+"-"+t.DriverName(), t.DriverName(), broken(resourceapi.DeviceTaintEffectNoExecute))
		r.Spec.DeviceSelector = selector
		t.Create(r)
	}
	driver, other := t.DriverName(), "other-"+t.Namespace+".example.com"
	rule("no-selector", nil)
	rule("other-driver", &resourceapi.DeviceTaintSelector{Driver: &other})
	rule("other-pool", &resourceapi.DeviceTaintSelector{Driver: &driver, Pool: &second, Device: ptr.To("a")})

	rule("device", &resourceapi.DeviceTaintSelector{Driver: &driver, Device: ptr.To("a")})
	t.WaitPodGone("a")
	stays(t, "b", "c", "d", "e", "f", "g")
	rule("pool-and-device", &resourceapi.DeviceTaintSelector{Pool: &first, Device: ptr.To("b")})
	t.WaitPodGone("b")
	stays(t, "c", "d", "e", "f", "g")
	rule("pool", &resourceapi.DeviceTaintSelector{Pool: &second})
	for _, name := range []string{"e", "f", "g"} {
		t.WaitPodGone(name)
	}
	stays(t, "c", "d")
	rule("driver", &resourceapi.DeviceTaintSelector{Driver: &driver})
	t.WaitPodGone("c")
	t.WaitPodGone("d")
}}
