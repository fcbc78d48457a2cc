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

package inject

import (
	"strings"
	"testing"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	cdispec "tags.cncf.io/container-device-interface/specs-go"
)

func TestExceeded(t *testing.T) {
	spec := func(uid types.UID, shares ...string) *cdispec.Spec {
		c := &resourceapi.ResourceClaim{Status: resourceapi.ResourceClaimStatus{Allocation: &resourceapi.AllocationResult{}}}
		c.UID = uid
		for _, amount := range shares {
			c.Status.Allocation.Devices.Results = append(c.Status.Allocation.Devices.Results, resourceapi.DeviceRequestAllocationResult{
				Request: "r", Driver: driver, Pool: "p", Device: "d", ShareID: ptr.To(types.UID(amount)),
				ConsumedCapacity: Capacity{"memory": resource.MustParse(amount)},
			})
		}
		s, _, err := Claim(driver, c)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	has := func(string, string) Capacity { return Capacity{"memory": resource.MustParse("8Gi")} }
	unknown := func(string, string) Capacity { return nil }
	for name, row := range map[string]struct {
		spec     *cdispec.Spec
		prepared []*cdispec.Spec
		capacity func(pool, device string) Capacity
		want     string
	}{
		"all of it":          {spec("a", "8Gi"), nil, has, ""},
		"rest":               {spec("a", "5Gi"), []*cdispec.Spec{spec("b", "1Gi", "2Gi")}, has, ""},
		"more than the rest": {spec("a", "5Gi"), []*cdispec.Spec{spec("b", "4Gi")}, has, "has 8Gi memory, and its shares consume 9Gi"},
		"two of one claim":   {spec("a", "5Gi", "4Gi"), nil, has, "consume 9Gi"},
		"prepared again":     {spec("a", "8Gi"), []*cdispec.Spec{spec("a", "8Gi")}, has, ""},
		"unknown device":     {spec("a", "9Gi"), nil, unknown, ""},
	} {
		err := Exceeded(row.spec, row.prepared, row.capacity)
		if (err == nil) != (row.want == "") || err != nil && !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v, want %q", name, err, row.want)
		}
	}
}
