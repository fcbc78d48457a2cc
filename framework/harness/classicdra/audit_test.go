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

package classicdra_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dra-conformance/dratest/framework/audit"
	"github.com/dra-conformance/dratest/framework/harness/classicdra"
)

// record is a ClassicClaim of a claim; scheduling is a PodScheduling of a pod.
func record(claim string) unstructured.Unstructured {
	o := unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"claimUID": "uid-" + claim}}}
	o.SetNamespace("ns")
	o.SetName(claim)
	return o
}

func scheduling(pod string) unstructured.Unstructured {
	o := unstructured.Unstructured{Object: map[string]any{}}
	o.SetNamespace("ns")
	o.SetName(pod)
	o.SetOwnerReferences([]metav1.OwnerReference{{Kind: "Pod", Name: pod, UID: types.UID("uid-" + pod)}})
	return o
}

func meta(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: "ns", Name: name, UID: types.UID("uid-" + name), ResourceVersion: "1"}
}

// claim has devices of a driver.
func claim(name, driver string, devices ...string) resourceapi.ResourceClaim {
	c := resourceapi.ResourceClaim{ObjectMeta: meta(name)}
	c.Status.Allocation = &resourceapi.AllocationResult{}
	for _, device := range devices {
		c.Status.Allocation.Devices.Results = append(c.Status.Allocation.Devices.Results,
			resourceapi.DeviceRequestAllocationResult{Request: "r", Driver: driver, Pool: "n", Device: device})
	}
	return c
}

// good has device whole-0 for claim c of pod p, and another one for claim e, not allocated yet.
// Claim o is optional and has none, claim f is another driver's.
func good() classicdra.Observed {
	return classicdra.Observed{
		Driver: "d", Held: map[string]string{"uid-c": "n/whole-0", "uid-e": "n/whole-1"},
		Claims:  []resourceapi.ResourceClaim{claim("c", "d", "whole-0"), {ObjectMeta: meta("e")}, claim("o", "d"), claim("f", "other", "whole-7")},
		Records: []unstructured.Unstructured{record("c"), record("e"), record("o")}, Schedulings: []unstructured.Unstructured{scheduling("p")},
		Pods: []corev1.Pod{{ObjectMeta: meta("p")}},
	}
}

func TestAuditRules(t *testing.T) {
	for _, tc := range []struct {
		name   string
		change func(*classicdra.Observed)
		want   []string
	}{
		{"good", func(*classicdra.Observed) {}, nil},
		{"one device for two claims", func(c *classicdra.Observed) { c.Held["uid-e"] = "n/whole-0" }, []string{
			"held-for-two: the driver holds device n/whole-0 for the claims with UIDs uid-c, uid-e"}},
		{"a claim's device is another one", func(c *classicdra.Observed) { c.Held["uid-c"] = "n/whole-2" }, []string{
			"not-held: claim ns/c has device n/whole-0 of driver d, which holds n/whole-2 for it"}},
		{"a claim's device is nobody's", func(c *classicdra.Observed) { delete(c.Held, "uid-c") }, []string{
			"not-held: claim ns/c has device n/whole-0 of driver d, which holds nothing for it"}},
		{"a claim has gone", func(c *classicdra.Observed) { c.Claims = c.Claims[1:] }, []string{
			"left-held: the driver holds device n/whole-0 for a deleted claim, with UID uid-c",
			`record-left: record ns/c belongs to a deleted claim, with UID uid-c: phase "", finalizers []`}},
		{"a claim of the name is another one", func(c *classicdra.Observed) { c.Claims[1].UID = "other" }, []string{
			"left-held: the driver holds device n/whole-1 for a deleted claim, with UID uid-e",
			`record-left: record ns/e belongs to a deleted claim, with UID uid-e: phase "", finalizers []`}},
		{"a pod has gone", func(c *classicdra.Observed) { c.Pods = nil }, []string{
			"scheduling-left: PodScheduling ns/p belongs to a deleted pod"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := good()
			tc.change(&c)
			var got []string
			for _, found := range [][]audit.Violation{classicdra.HeldTwice(c.Held), classicdra.AllocatedHeld(c), classicdra.Left(c)} {
				for _, v := range found {
					got = append(got, v.String())
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
