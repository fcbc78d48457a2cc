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
	"time"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Seconds has tolerations expired when the taint is added: half an hour for a taint of an hour ago,
// and zero or fewer seconds. A pod with a day left stays.
var Seconds = harness.Case{Meta: spec.Meta{
	ID:       "eviction/seconds",
	Checks:   "tolerationSeconds count from the taint's timeAdded, also if it is in the past.",
	Requires: []spec.RequirementID{"kep-5055/seconds-from-time-added", "kep-5055/seconds-zero"},
	Needs:    spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.DeviceTaints}},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	for name, seconds := range map[string]int64{"half-an-hour": 1800, "a-day": 86400, "zero": 0, "negative": -1, "a-day-from-now": 86400} {
		t.Publish(name, t.Nodes[0], named(name))
		t.Create(objects.Tolerating(objects.Claim(name, objects.Request("req", class, t.Attribute("name")+" == '"+name+"'")), &seconds), objects.Pod(name, t.Image, name))
		t.WaitScheduled(name)
	}
	past, now := broken(resourceapi.DeviceTaintEffectNoExecute), broken(resourceapi.DeviceTaintEffectNoExecute)
	past.TimeAdded = &metav1.Time{Time: time.Now().Add(-time.Hour)}
	taint(t, "a-day", map[string]resourceapi.DeviceTaint{"a-day": past})
	taint(t, "a-day-from-now", map[string]resourceapi.DeviceTaint{"a-day-from-now": now})
	taint(t, "half-an-hour", map[string]resourceapi.DeviceTaint{"half-an-hour": past})
	taint(t, "zero", map[string]resourceapi.DeviceTaint{"zero": now})
	taint(t, "negative", map[string]resourceapi.DeviceTaint{"negative": now})

	t.WaitPodGone("half-an-hour")
	t.WaitPodGone("zero")
	t.WaitPodGone("negative")
	stays(t, "a-day", "a-day-from-now")
}}
