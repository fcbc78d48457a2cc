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

package state

import (
	"strconv"
	"testing"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/implementation/inventory"
)

const (
	driver = "driver.example.com"
	poolA  = "a"
	poolB  = "b"
)

type result = resourceapi.DeviceRequestAllocationResult

// claimAt returns a claim named by its UID at a version; without results it is unallocated.
func claimAt(uid string, version int, results ...result) *resourceapi.ResourceClaim {
	c := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{
		Namespace: "default", Name: uid, UID: types.UID(uid), ResourceVersion: strconv.Itoa(version),
	}}
	if len(results) > 0 {
		c.Status.Allocation = &resourceapi.AllocationResult{Devices: resourceapi.DeviceAllocationResult{Results: results}}
	}
	return c
}

func whole(pool, device string) result {
	return result{Request: "r", Driver: driver, Pool: pool, Device: device}
}

func share(pool, device, id, memory string) result {
	r := whole(pool, device)
	r.ShareID = ptr.To(types.UID(id))
	if memory != "" {
		r.ConsumedCapacity = map[resourceapi.QualifiedName]resource.Quantity{"memory": resource.MustParse(memory)}
	}
	return r
}

func admin(r result) result {
	r.AdminAccess = ptr.To(true)
	return r
}

func poolID(name string) inventory.PoolID {
	return inventory.PoolID{Driver: driver, Pool: name}
}

// use formats a snapshot's use of a device: "free", "whole", "2 shares 3Gi" and so on.
func use(s *Snapshot, pool, device string) string {
	return describe(s.Pool(poolID(pool)).Device(device))
}

func describe(u Use) string {
	text := ""
	if u.Whole {
		text += "whole "
	}
	if u.Shares > 0 {
		text += strconv.Itoa(u.Shares) + " shares "
	}
	if memory, found := u.Consumed["memory"]; found {
		text += memory.String() + " "
	}
	if text == "" {
		return "free"
	}
	return text[:len(text)-1]
}

func expect(t *testing.T, s *State, pool, device, want string) {
	t.Helper()
	if got := use(s.Snapshot(), pool, device); got != want {
		t.Errorf("device %s/%s is %s, want %s", pool, device, got, want)
	}
}

func mustAssume(t *testing.T, s *State, c *resourceapi.ResourceClaim) {
	t.Helper()
	if err := s.Assume(s.Snapshot(), c); err != nil {
		t.Fatal(err)
	}
}
