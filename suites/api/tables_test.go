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

package api

import (
	"reflect"
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/objects"
)

// A row with two equal objects would be judged by the same answer twice.
func TestRowsOfTables(t *testing.T) {
	table(t, "constraints", claimWithConstraint, constraintRules(true))
	table(t, "configurations", claimWithConfig, configRules())
	table(t, "alternatives", claimWithAlternatives, alternativeRules())
	table(t, "selectors", validClaim, selectorRules("selectors[0]", selecting))
	table(t, "requests", validClaim, requestRules())
	table(t, "limits", func() *resourceapi.ResourceClaimSpec { return &validClaim().Spec }, claimLimits("spec.devices"))
	table(t, "tolerations", validClaim, tolerationRules("tolerations[0]", tolerating))
	table(t, "nodes", validSlice, sliceNodes())
	table(t, "attributes", validSlice, attributeValues())
	table(t, "names of attributes", validSlice, qualifiedNames("attributes", attribute))
	table(t, "names of capacities", validSlice, qualifiedNames("capacity", capacity))
	table(t, "counter sets", sliceWithCounters, counterSetRules())
	table(t, "consumption of counters", validSlice, consumptionRules())
	table(t, "policies", sharedSlice, policyRules())
	table(t, "ranges", sharedSlice, rangeRules())
	table(t, "taints", validSlice, taintRules("taints[0]", func(taint resourceapi.DeviceTaint) func(*resourceapi.ResourceSlice) {
		return onDevice(func(d *resourceapi.Device) { d.Taints = []resourceapi.DeviceTaint{taint} })
	}))
	table(t, "claims of pods", func() *corev1.Pod { return unscheduled(objects.Pod("pod", "image", "claim")) }, podClaimRules())
	allocated := func() *resourceapi.ResourceClaim {
		c := validClaim()
		c.Status.Allocation = allocation("device-0")
		return c
	}
	table(t, "results", allocated, resultRules())
	table(t, "configurations of results", allocated, resultConfigRules())
	table(t, "reservations", allocated, reservationRules())
	table(t, "status of devices", allocated, deviceStatusRules())
	table(t, "status of shares", allocated, shareStatusRules())
	table(t, "features of results", allocated, resultFeatureRules())
}

func table[O any](t *testing.T, of string, valid func() O, rules []rule[O]) {
	t.Helper()
	names := map[string]bool{}
	for _, r := range rules {
		near, far := r.objects(valid)
		switch {
		case reflect.DeepEqual(near, far):
			t.Errorf("%s: %s: the object to reject is the object to accept", of, r.name)
		case reflect.DeepEqual(far, valid()):
			t.Errorf("%s: %s: the object to reject is the valid object", of, r.name)
		case r.name == "" || r.field == "":
			t.Errorf("%s: %s: name and field %q must not be empty", of, r.name, r.field)
		case names[r.name]:
			t.Errorf("%s: %s: there are two rows of this name", of, r.name)
		}
		names[r.name] = true
	}
}
