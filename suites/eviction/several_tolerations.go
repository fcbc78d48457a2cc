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
	"maps"
	"slices"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/edit"
	"github.com/dra-conformance/dratest/framework/spec"
)

// SeveralTolerations has devices with two taints and claims with up to two matching tolerations. Of
// a taint's tolerations, one without seconds wins, otherwise the shortest. Of several taints, the
// first to expire counts. Operator Equal compares the value, also after it changes.
var SeveralTolerations = harness.Case{Meta: spec.Meta{
	ID:     "eviction/several-tolerations",
	Checks: "A pod stays only while all NoExecute taints of its device are tolerated.",
	Requires: []spec.RequirementID{
		"kep-5055/shortest-toleration", "kep-5055/tolerated-or-not", "kep-5055/toleration-exists", "kep-5055/toleration-equal",
	},
	Needs: spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.DeviceTaints}},
}, Run: func(t *harness.T) {
	const hour, short = 3600, 1
	exists := func(key string, seconds ...int64) resourceapi.DeviceToleration {
		toleration := resourceapi.DeviceToleration{Key: "example.com/" + key, Operator: resourceapi.DeviceTolerationOpExists, Effect: resourceapi.DeviceTaintEffectNoExecute}
		if len(seconds) > 0 {
			toleration.TolerationSeconds = &seconds[0]
		}
		return toleration
	}
	equal := func(key, value string) resourceapi.DeviceToleration {
		toleration := exists(key)
		toleration.Operator, toleration.Value = resourceapi.DeviceTolerationOpEqual, value
		return toleration
	}
	stay := map[string][]resourceapi.DeviceToleration{
		"short-and-for-ever": {exists("a", short), exists("a"), exists("b")},
		"for-ever-and-short": {exists("a"), exists("a", short), exists("b")},
		"hours":              {exists("a", hour), exists("b", hour)},
		"both":               {equal("a", "1"), exists("b")},
	}
	leave := map[string][]resourceapi.DeviceToleration{
		"only-first":     {exists("a")},
		"only-second":    {exists("b")},
		"other-keys":     {exists("c"), exists("d")},
		"other-value":    {equal("a", "2"), exists("b")},
		"short-and-hour": {exists("a", short), exists("a", hour), exists("b")},
		"hour-and-short": {exists("a", hour), exists("a", short), exists("b")},
		"first-is-short": {exists("a", short), exists("b", hour)},
		"last-is-short":  {exists("a", hour), exists("b", short)},
	}
	class := t.CreateClass(nil)
	names := slices.Concat(slices.Sorted(maps.Keys(stay)), slices.Sorted(maps.Keys(leave)))
	var devices []resourceapi.Device
	for _, name := range names {
		devices = append(devices, named(name))
	}
	t.Publish("pool", t.Nodes[0], devices...)
	for _, name := range names {
		tolerant(t, class, name, append(stay[name], leave[name]...)...)
	}

	slice := "pool-" + t.DriverName()
	edit.Slice(t, slice, func(s *resourceapi.ResourceSlice) {
		for i := range s.Spec.Devices {
			s.Spec.Devices[i].Taints = []resourceapi.DeviceTaint{
				{Key: "example.com/a", Value: "1", Effect: resourceapi.DeviceTaintEffectNoExecute},
				{Key: "example.com/b", Value: "2", Effect: resourceapi.DeviceTaintEffectNoExecute},
			}
		}
	})
	for name := range leave {
		t.WaitPodGone(name)
	}
	stays(t, slices.Collect(maps.Keys(stay))...)
	edit.Slice(t, slice, func(s *resourceapi.ResourceSlice) {
		for i := range s.Spec.Devices {
			s.Spec.Devices[i].Taints[0].Value = "3"
		}
	})
	t.WaitPodGone("both")
	stays(t, "short-and-for-ever", "for-ever-and-short", "hours")
}}
