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

package claims

import (
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// NoCounterTwice concurrently creates more claims for partitions than allowed by their counter.
var NoCounterTwice = harness.Case{Meta: spec.Meta{
	ID:       "claims/no-counter-twice",
	Checks:   "Concurrent claims never use more of a counter than it has; waiting pods are scheduled when it is released.",
	Requires: []spec.RequirementID{"kep-4381/in-flight-devices-not-shared", "kep-4815/counters-not-exceeded"},
	Needs:    spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.PartitionableDevices}},
}, Run: func(t *harness.T) {
	const pods = 20
	memory := func(value string) map[string]resourceapi.Counter {
		return map[string]resourceapi.Counter{"memory": {Value: resource.MustParse(value)}}
	}
	partitions, counters := t.Slice("pool", t.Nodes[0], profiles.Devices(pods).Pools[0].Devices...), t.Slice("pool", t.Nodes[0])
	for i := range partitions.Spec.Devices {
		partitions.Spec.Devices[i].ConsumesCounters = []resourceapi.DeviceCounterConsumption{{CounterSet: "all", Counters: memory("1Gi")}}
	}
	counters.Name += "-counters"
	counters.Spec.SharedCounters = []resourceapi.CounterSet{{Name: "all", Counters: memory("8Gi")}}
	partitions.Spec.Pool.ResourceSliceCount, counters.Spec.Pool.ResourceSliceCount = 2, 2
	t.Create(partitions, counters)
	t.Create(objects.Template("template", objects.Claim("", objects.Request("req", t.CreateClass(nil)))))

	takeInTurn(t, pods, 8, func(given []resourceapi.DeviceRequestAllocationResult) { differ(t, given) })
}}
