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
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// NoCapacityTwice concurrently creates more claims than fit on a shared device.
var NoCapacityTwice = harness.Case{Meta: spec.Meta{
	ID:       "claims/no-capacity-twice",
	Checks:   "Concurrent claims never exceed the capacity of a shared device, and each allocation has its own share ID.",
	Requires: []spec.RequirementID{"kep-4381/in-flight-devices-not-shared", "kep-5075/capacity-not-exceeded", "kep-5075/share-id"},
	Needs:    spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.ConsumableCapacity}},
}, Run: func(t *harness.T) {
	t.Publish("pool", t.Nodes[0], profiles.SharedCapacity().Pools[0].Devices...)
	t.Create(objects.Template("template", objects.Claim("", objects.Request("req", t.CreateClass(nil)))))
	shares := sets.New[types.UID]()
	takeInTurn(t, 20, 8, func(given []resourceapi.DeviceRequestAllocationResult) {
		for _, result := range given {
			memory, share := result.ConsumedCapacity[profiles.Memory], ptr.Deref(result.ShareID, "")
			t.Expect(memory.String()).To(gomega.Equal("1Gi"), "memory of an allocation")
			t.Expect(share).NotTo(gomega.BeEmpty(), "identifier of an allocation")
			t.Expect(shares.Has(share)).To(gomega.BeFalse(), "identifier %s belongs to another allocation", share)
			shares.Insert(share)
		}
	})
}}
