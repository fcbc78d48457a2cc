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
	"errors"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/issues"
	"github.com/dra-conformance/dratest/framework/spec"
)

// RangeNumbers writes ranges with numbers outside of 64-bit arithmetic.
var RangeNumbers = harness.Case{Meta: spec.Meta{
	ID:         "api/range-numbers",
	Checks:     "A capacity range with a negative number or one above 64 bits is rejected.",
	Requires:   []spec.RequirementID{"kep-5075/range-bounds"},
	Needs:      spec.Needs{NoNode: true, Features: []spec.Feature{spec.ConsumableCapacity}},
	KnownIssue: issues.Known("kubernetes#140666"),
}, Run: func(t *harness.T) {
	// A capacity of 2^65 has room for steps of 2^64.
	valid := func() *resourceapi.ResourceSlice {
		s := sharedSlice()
		s.Spec.Devices[0].Capacity["memory"] = resourceapi.DeviceCapacity{Value: *quantity("36893488147419103232")}
		return s
	}
	numbers := func(byDefault, least, step string) func(*resourceapi.ResourceSlice) {
		return func(s *resourceapi.ResourceSlice) {
			c := s.Spec.Devices[0].Capacity["memory"]
			c.RequestPolicy = &resourceapi.CapacityRequestPolicy{
				Default: quantity(byDefault), ValidRange: &resourceapi.CapacityRequestPolicyRange{Min: quantity(least), Step: quantity(step)},
			}
			s.Spec.Devices[0].Capacity["memory"] = c
		}
	}
	const field = policyField + ".validRange"
	write, accepted := createSlice(t), numbers("2", "2", "1")
	for _, r := range []rule[*resourceapi.ResourceSlice]{
		{"a step of 2^64", accepted, numbers("2", "2", "18446744073709551616"), field + ".step", invalid},
		{"a minimum below zero", accepted, numbers("2", "-2", "1"), field + ".min", invalid},
	} {
		near, far := r.objects(valid)
		t.NoError(write(near), "write a valid range")
		err := write(far)
		var status apierrors.APIStatus
		if err == nil || !errors.As(err, &status) {
			t.KnownIssue("expected %s to be refused, got %v", r.name, err)
			return
		}
		t.Expect(r.problems(nil, err)).To(gomega.BeEmpty(), "a response violating a rule")
	}
}}

// VersionNumbers writes versions with numbers outside of 64 bits.
var VersionNumbers = harness.Case{Meta: spec.Meta{
	ID:         "api/version-numbers",
	Checks:     "A version with a number above 64 bits is rejected.",
	Requires:   []spec.RequirementID{"resource-v1/version-parses"},
	Needs:      spec.Needs{NoNode: true},
	KnownIssue: issues.Known("kubernetes#142964"),
}, Run: func(t *harness.T) {
	version := func(text string) func(*resourceapi.ResourceSlice) {
		return valued("a", resourceapi.DeviceAttribute{VersionValue: ptr.To(text)})
	}
	judgeKnown(t, validSlice, createSlice(t), rule[*resourceapi.ResourceSlice]{
		"a version with a number of 20 digits", version("1.2.3"), version("18446744073709551616.0.0"), "spec.devices[0].attributes[a].version", invalid,
	})
}}

// PolicyWithoutSharing changes a shareable device with a policy into one without multiple allocations.
var PolicyWithoutSharing = harness.Case{Meta: spec.Meta{
	ID:         "api/policy-without-sharing",
	Checks:     "An update that ends multiple allocations of a device with a capacity policy is rejected.",
	Requires:   []spec.RequirementID{"kep-5075/policy-needs-sharing"},
	Needs:      spec.Needs{NoNode: true, Features: []spec.Feature{spec.ConsumableCapacity}},
	KnownIssue: issues.Known("kubernetes#140799"),
}, Run: func(t *harness.T) {
	valid := func() *resourceapi.ResourceSlice {
		s := onlyOn(t, sharedSlice())
		valuesPolicy("2", "1", "2")(s)
		return s
	}
	stored := valid()
	stored.Name = t.Namespace
	t.Create(stored)
	judgeKnown(t, valid, changeOf(t, t.Client.ResourceV1().ResourceSlices(), stored), rule[*resourceapi.ResourceSlice]{
		"a policy of a device that is not shareable any more", nil,
		onDevice(func(d *resourceapi.Device) { d.AllowMultipleAllocations = nil }), policyField, forbidden,
	})
}}
