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
	"github.com/onsi/gomega"
	rbacv1 "k8s.io/api/rbac/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// StatusAuthorization writes the status of a claim as users with more and more permissions. Those for devices are per
// driver, and differ for a driver on the allocation's node.
var StatusAuthorization = harness.Case{Meta: spec.Meta{
	ID:     "api/status-authorization",
	Checks: "Allocating, reserving and device status each require a permission of their own beside that for claim status.",
	Requires: []spec.RequirementID{
		"resource-v1/status-binding-authorized", "resource-v1/status-driver-authorized", "resource-v1/status-driver-node-verbs",
	},
	Needs: spec.Needs{NoNode: true, Features: []spec.Feature{spec.GranularStatusAuthorization, spec.DeviceStatus}},
}, Run: func(t *harness.T) {
	t.Create(validClaim())
	claims := t.Client.ResourceV1().ResourceClaims(t.Namespace)
	claim, err := claims.Get(t.Context(), "claim", metav1.GetOptions{})
	t.NoError(err, "get the claim")
	scheduler, driverPod := user(t), "system:serviceaccount:"+t.Namespace+":driver"
	mayUpdateStatus(t, scheduler, driverPod)
	as := func(user rest.ImpersonationConfig) func(*resourceapi.ResourceClaim) error {
		return updateStatus(t, t.As(user).ResourceV1().ResourceClaims(t.Namespace))
	}
	ordinary := as(rest.ImpersonationConfig{UserName: scheduler})
	allowed(t, "an unchanged update of the status", func() error { return ordinary(claim.DeepCopy()) })

	bound := claim.DeepCopy()
	bound.Status.Allocation = allocation("device-0")
	bound.Status.Allocation.NodeSelector = objects.Nodes("this-node")
	t.Step("allocate with and without the right for it")
	t.Expect(notRefused(ordinary(bound.DeepCopy()), "status.allocation", forbidden)).To(gomega.BeEmpty(), "an allocation without the right")
	mayEverywhere(t, rbacv1.PolicyRule{APIGroups: []string{group}, Resources: []string{"resourceclaims/binding"}, Verbs: []string{"update"}}, scheduler)
	allowed(t, "an allocation with the right", func() error { return ordinary(bound.DeepCopy()) })
	bound, err = claims.UpdateStatus(t.Context(), bound, metav1.UpdateOptions{})
	t.NoError(err, "allocate the claim")
	reserved := bound.DeepCopy()
	reserved.Status.ReservedFor = []resourceapi.ResourceClaimConsumerReference{objects.Stranger("name")}
	t.NoError(ordinary(reserved.DeepCopy()), "reserve the claim with the right")
	t.Expect(notRefused(as(rest.ImpersonationConfig{UserName: driverPod})(reserved.DeepCopy()), "status.allocation", forbidden)).To(gomega.BeEmpty(), "a reservation without the right")

	t.Step("write the status of a device with and without the right for it")
	reported := bound.DeepCopy()
	reported.Status.Devices = []resourceapi.AllocatedDeviceStatus{{Driver: driver, Pool: "pool", Device: "device-0"}}
	on := func(node string) func(*resourceapi.ResourceClaim) error {
		return as(rest.ImpersonationConfig{UserName: driverPod, Groups: []string{"system:serviceaccounts", "system:authenticated"},
			Extra: map[string][]string{"authentication.kubernetes.io/node-name": {node}}})
	}
	here, elsewhere := on("this-node"), on("other-node")
	refused := func(err error, who string) {
		t.Expect(notRefused(err, "status.devices", forbidden)).To(gomega.BeEmpty(), "the status of a device, written by %s", who)
	}
	refused(here(reported.DeepCopy()), "a driver without the right")
	refused(ordinary(reported.DeepCopy()), "a user without the right")
	// The irrelevant permission is granted first: once the other one is effective, both are.
	mayWriteOf(t, "associated-user", driver, resourceapi.VerbPrefixAssociatedNode+"update", scheduler)
	mayWriteOf(t, "associated", driver, resourceapi.VerbPrefixAssociatedNode+"update", driverPod)
	allowed(t, "the driver on the node of the allocation", func() error { return here(reported.DeepCopy()) })
	refused(elsewhere(reported.DeepCopy()), "the driver on another node")
	refused(ordinary(reported.DeepCopy()), "a user with the right of a driver on the node")
	mayWriteOf(t, "arbitrary-other", otherDriver, resourceapi.VerbPrefixArbitraryNode+"update", driverPod)
	mayWriteOf(t, "arbitrary", driver, resourceapi.VerbPrefixArbitraryNode+"update", scheduler)
	allowed(t, "a user with the right for all nodes", func() error { return ordinary(reported.DeepCopy()) })
	refused(elsewhere(reported.DeepCopy()), "a driver with the right for another one on all nodes")
}}
