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

package sanity

import (
	"slices"
	"testing"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/spec"
)

// Claims with several devices or shares, and claims of one name, from drivers with and without a bug.
func TestSeveral(t *testing.T) {
	shared := resourceapi.Device{Name: "s", AllowMultipleAllocations: ptr.To(true), Capacity: map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{
		"memory": {Value: resource.MustParse("8Gi")},
	}}
	right := func(claim *resourceapi.ResourceClaim, _ int) *Answer { return prepared(claim) }
	first := func(claim *resourceapi.ResourceClaim, _ int) *Answer {
		a := prepared(claim)
		a.Devices = a.Devices[:1]
		return a
	}
	var remembered *Answer
	for name, row := range map[string]struct {
		check   Check
		devices []resourceapi.Device
		answer  func(claim *resourceapi.ResourceClaim, call int) *Answer
		want    spec.Status
		text    string
	}{
		"several":         {severalDevices, devices("a", "b"), right, spec.Passed, ""},
		"several, no CDI": {severalDevices, devices("a", "b"), func(*resourceapi.ResourceClaim, int) *Answer { return &Answer{} }, spec.Passed, ""},
		"several, first":  {severalDevices, devices("a", "b"), first, spec.Failed, `device "b" of pool "p", allocated for request "req", is not in the response`},
		"one pool":        {sameDeviceName, devices("a", "b"), right, spec.NotApplicable, "the driver has none on this node"},
		"shares":          {sharesOfOneClaim, []resourceapi.Device{shared}, right, spec.Passed, ""},
		"shares, merged":  {sharesOfOneClaim, []resourceapi.Device{shared}, first, spec.Failed, `allocated for request "two"`},
		"shares, none":    {sharesOfOneClaim, devices("a"), right, spec.NotApplicable, "the driver has 0"},
		"capacity": {capacityNotExceeded, []resourceapi.Device{shared}, func(claim *resourceapi.ResourceClaim, call int) *Answer {
			if call == 2 {
				return &Answer{Error: "nothing is left"}
			}
			return prepared(claim)
		}, spec.Passed, "nothing is left"},
		"capacity exceeded": {capacityNotExceeded, []resourceapi.Device{shared}, right, spec.Failed, "the first one has all of memory"},
		"no capacity":       {capacityNotExceeded, []resourceapi.Device{{Name: "s", AllowMultipleAllocations: ptr.To(true)}}, right, spec.NotApplicable, "consumes no capacity"},
		"one name":          {sameClaimName, devices("a", "b"), right, spec.Passed, ""},
		"one name, refused": {sameClaimName, devices("a", "b"), func(claim *resourceapi.ResourceClaim, call int) *Answer {
			if call == 2 {
				return &Answer{Error: "unprepare the other one"}
			}
			return prepared(claim)
		}, spec.Passed, ""},
		"one name, as before": {sameClaimName, devices("a", "b"), func(claim *resourceapi.ResourceClaim, call int) *Answer {
			if call == 1 {
				remembered = prepared(claim)
			}
			return remembered
		}, spec.Failed, `device "a" of pool "p" is in the answer, and the claim does not have it`},
	} {
		t.Run(name, func(t *testing.T) {
			calls := 0
			d := &testDriver{prepare: func(_ string, claim *resourceapi.ResourceClaim) (*Answer, error) {
				calls++
				return row.answer(claim, calls), nil
			}}
			did(t, d.served(t, row.devices...), row.check, row.want, row.text)
		})
	}
}

// Two devices with one request name are a count, and configurations may name other alternatives.
func TestDraft(t *testing.T) {
	w := (&testDriver{}).served(t)
	c := (&T{world: w}).draft([]Config{{Requests: []string{"alt/other"}}, {Requests: []string{"alt/chosen", "two"}}},
		Want{Request: "two"}, Want{Request: "two"}, Want{Request: "alt/chosen"})
	requests := c.Spec.Devices.Requests
	if len(requests) != 2 || requests[0].Exactly.Count != 2 || len(requests[1].FirstAvailable) != 2 || requests[1].FirstAvailable[1].Name != "other" {
		t.Errorf("requests: %+v", requests)
	}
}

func TestOnOtherNodes(t *testing.T) {
	slice := func(name, pool, node string) resourceapi.ResourceSlice {
		return resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: resourceapi.ResourceSliceSpec{NodeName: &node, Pool: resourceapi.ResourcePool{Name: pool}}}
	}
	own := []resourceapi.ResourceSlice{slice("a", "p", "n")}
	said(t, "one node", onOtherNodes(own, append(slices.Clone(own), slice("b", "q", "m"))), "")
	said(t, "one pool", onOtherNodes(own, append(slices.Clone(own), slice("b", "p", "m"))), `pool p of node n also has slice b of node "m"`)
}
