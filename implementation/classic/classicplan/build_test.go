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

package classicplan_test

import (
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dra-conformance/dratest/implementation/classic/api/v1alpha1"
)

const (
	driver    = "test-driver.example.com"
	finalizer = driver + "/deletion-protection"
)

type claimChange = func(*resourceapi.ResourceClaim)

func claim(changes ...claimChange) *resourceapi.ResourceClaim {
	c := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "c", UID: "uid-c"}}
	c.Spec.Devices.Requests = []resourceapi.DeviceRequest{{Name: "r", Exactly: &resourceapi.ExactDeviceRequest{DeviceClassName: "example"}}}
	for _, change := range changes {
		change(c)
	}
	return c
}

func protected(c *resourceapi.ResourceClaim) { c.Finalizers = append(c.Finalizers, finalizer) }

func deleting(c *resourceapi.ResourceClaim) { c.DeletionTimestamp = &metav1.Time{} }

func allocated(c *resourceapi.ResourceClaim) { c.Status.Allocation = &resourceapi.AllocationResult{} }

// limited is an allocation for so many users.
func limited(users int32) claimChange {
	return func(c *resourceapi.ResourceClaim) {
		allocated(c)
		config := v1alpha1.AllocationConfig{UserLimit: users}.DeviceConfiguration()
		c.Status.Allocation.Devices.Config = []resourceapi.DeviceAllocationConfiguration{{Source: resourceapi.AllocationConfigSourceClaim, DeviceConfiguration: config}}
	}
}

// reserved is for so many pods: uid-0, uid-1, …
func reserved(pods int) claimChange {
	return func(c *resourceapi.ResourceClaim) {
		for i := range pods {
			c.Status.ReservedFor = append(c.Status.ReservedFor, resourceapi.ResourceClaimConsumerReference{
				Resource: "pods", Name: fmt.Sprint("pod-", i), UID: types.UID(fmt.Sprint("uid-", i))})
		}
	}
}

type recordChange = func(*v1alpha1.ClassicClaim)

// record is an attempt to allocate the claim for node "a".
func record(changes ...recordChange) *v1alpha1.ClassicClaim {
	r := &v1alpha1.ClassicClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "c", UID: "uid-r", Finalizers: []string{finalizer}}}
	r.Spec = v1alpha1.ClassicClaimSpec{ClaimUID: "uid-c", DriverName: driver, AllocationMode: v1alpha1.WaitForFirstConsumer, SelectedNode: "a"}
	for _, change := range changes {
		change(r)
	}
	return r
}

func immediate(r *v1alpha1.ClassicClaim) {
	r.Spec.AllocationMode, r.Spec.SelectedNode = v1alpha1.Immediate, ""
}

func unwanted(r *v1alpha1.ClassicClaim) { r.Spec.DeallocationRequested = true }

func phase(p v1alpha1.Phase) recordChange {
	return func(r *v1alpha1.ClassicClaim) { r.Status.Phase = p }
}

func classOf(driver v1alpha1.DriverName) *v1alpha1.ResourceClass {
	return &v1alpha1.ResourceClass{ObjectMeta: metav1.ObjectMeta{Name: "example"}, DriverName: driver}
}

func selects(pod, node string) classicSelection {
	return classicSelection{PodName: pod, PodUID: types.UID("uid-" + pod), Node: node}
}
