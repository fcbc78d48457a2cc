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

package core

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// BindingConditions gives a pod a device made ready by a controller.
var BindingConditions = harness.Case{Meta: spec.Meta{
	ID:       "core/binding-conditions",
	Checks:   "A pod whose device has binding conditions is bound once they are all true, and its container sees the device.",
	Requires: []spec.RequirementID{"kep-5007/controller-prepares", "kep-5007/waits-for-conditions"},
	Needs: spec.Needs{
		Features: []spec.Feature{spec.DeviceStatus, spec.BindingConditions}, Profile: profiles.FabricDevice(), Devices: 1,
		DriverFeatures: []spec.DriverFeature{spec.DriverBindingConditions},
	},
	Catches: []spec.MutantID{"driver-one-condition"},
	Timeout: 25 * time.Minute, // twice the scheduler's default timeout
}, Run: func(t *harness.T) {
	limit := cmp.Or(t.Target().BindingTimeout, byDefault)
	if t.Target().DriverUnderTest == nil { // drivers under test have their own controller
		for _, node := range t.Nodes {
			simdriver.Of(t).Fabric(node, spec.FabricCondition{Type: profiles.Attached}, spec.FabricCondition{Type: profiles.Configured})
		}
	}
	for _, name := range []string{"first", "second"} {
		t.Create(objects.Claim(name, t.Driver.Request("req")))
		t.Create(t.Pod(name, name))
		claim := t.WaitAllocated(name)
		// The first pod's attached device may be a local one by now, without conditions.
		if name == "first" && len(claim.Status.Allocation.Devices.Results[0].BindingConditions) == 0 {
			t.Blockedf("claim %s was allocated a device without binding conditions: declare the class of devices with them with features: [%s], and selectors if needed", name, spec.DriverBindingConditions)
		}
		var missing []string
		t.OccursWithin(limit, "all binding conditions of claim "+name+" to be true", func(ctx context.Context) (bool, string, error) {
			now, err := t.Client.ResourceV1().ResourceClaims(t.Namespace).Get(ctx, name, metav1.GetOptions{})
			if err != nil {
				return false, "", err
			}
			missing = unmet(now)
			return len(missing) == 0, fmt.Sprintf("not true: %q", missing), nil
		})
		t.Expect(missing).To(gomega.BeEmpty(), "binding conditions still not true after the scheduler's timeout of %s: the device was not made ready", limit)
		t.WaitRunning(name)
		t.Driver.ExpectDevices(name, "main", t.Claim(name))
		t.RemovePod(name)
		t.AwaitReleased(name)
	}
}}

// byDefault is the scheduler's default timeout for binding conditions (k8s.io/kubernetes v1.37.1
// pkg/scheduler/apis/config/v1/defaults.go).
const byDefault = 10 * time.Minute

// unmet returns the binding conditions of a claim's devices not true yet.
func unmet(c *resourceapi.ResourceClaim) []string {
	if c.Status.Allocation == nil {
		return []string{"the claim is not allocated"} // as when the device failed
	}
	var all []string
	for _, r := range c.Status.Allocation.Devices.Results {
		for _, condition := range r.BindingConditions {
			if s := objects.DeviceStatus(c, r); s == nil || !meta.IsStatusConditionTrue(s.Conditions, condition) {
				all = append(all, fmt.Sprintf("%s of device %s of pool %s", condition, r.Device, r.Pool))
			}
		}
	}
	return all
}
