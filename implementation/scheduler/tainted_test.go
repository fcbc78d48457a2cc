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

package scheduler

import (
	"testing"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// tainted adds a taint to each device of a slice.
func tainted(effect resourceapi.DeviceTaintEffect) func(*resourceapi.Device) {
	return func(d *resourceapi.Device) { d.Taints = []resourceapi.DeviceTaint{{Key: "broken", Effect: effect}} }
}

func TestClaimWithTaintedDeviceIsNotReserved(t *testing.T) {
	const noExecute, noSchedule = resourceapi.DeviceTaintEffectNoExecute, resourceapi.DeviceTaintEffectNoSchedule
	tolerant := func(c *resourceapi.ResourceClaim) {
		c.Status.Allocation.Devices.Results[0].Tolerations = []resourceapi.DeviceToleration{{Key: "broken", Operator: resourceapi.DeviceTolerationOpExists, Effect: noExecute}}
	}
	older, newer := slice("a", 1, tainted(noExecute)), slice("a", 1)
	newer.Name, newer.Spec.Pool.Generation = "newer", 2
	for name, row := range map[string]struct {
		slices   []*resourceapi.ResourceSlice
		claim    *resourceapi.ResourceClaim
		rejected bool
	}{
		"not tolerated":                {[]*resourceapi.ResourceSlice{older}, asking("claim", 1, allocated("a"), reservedFor("other")), true},
		"tolerated":                    {[]*resourceapi.ResourceSlice{older}, asking("claim", 1, allocated("a"), reservedFor("other"), tolerant), false},
		"reserved for the pod already": {[]*resourceapi.ResourceSlice{older}, asking("claim", 1, allocated("a"), reservedFor("pod", "other")), false},
		"milder effect":                {[]*resourceapi.ResourceSlice{slice("a", 1, tainted(noSchedule))}, asking("claim", 1, allocated("a"), reservedFor("other")), false},
		"older generation":             {[]*resourceapi.ResourceSlice{newer, older}, asking("claim", 1, allocated("a"), reservedFor("other")), false},
	} {
		t.Run(name, func(t *testing.T) {
			there := []runtime.Object{node("a"), class("class"), row.claim}
			for _, s := range row.slices {
				there = append(there, s)
			}
			w := newWorld(t, there...)
			if !row.rejected {
				w.schedule(using("pod", "claim"))
				return
			}
			w.find(using("pod", "claim")).wantRejected("resourceclaim not available on the node")
		})
	}
}
