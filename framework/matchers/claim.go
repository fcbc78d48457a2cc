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

package matchers

import (
	"github.com/onsi/gomega"
	"github.com/onsi/gomega/types"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apitypes "k8s.io/apimachinery/pkg/types"
)

// HaveDevices matches a *ResourceClaim allocated exactly these devices, in any order. Without devices it matches an
// unallocated claim.
func HaveDevices(devices ...string) types.GomegaMatcher {
	return gomega.WithTransform(func(c *resourceapi.ResourceClaim) []string {
		names := []string{}
		for _, r := range results(c) {
			names = append(names, r.Device)
		}
		return names
	}, gomega.ConsistOf(devices))
}

// HaveDevicesFrom matches a *ResourceClaim with at least one device, all from this pool.
func HaveDevicesFrom(pool string) types.GomegaMatcher {
	return gomega.WithTransform(func(c *resourceapi.ResourceClaim) []string {
		pools := []string{}
		for _, r := range results(c) {
			pools = append(pools, r.Pool)
		}
		return pools
	}, gomega.And(gomega.Not(gomega.BeEmpty()), gomega.HaveEach(pool)))
}

// BeReservedFor matches a *ResourceClaim reserved for exactly these pods, by UID, in any order.
func BeReservedFor(pods ...*corev1.Pod) types.GomegaMatcher {
	want := []apitypes.UID{}
	for _, p := range pods {
		want = append(want, p.UID)
	}
	return gomega.WithTransform(func(c *resourceapi.ResourceClaim) []apitypes.UID {
		uids := []apitypes.UID{}
		for _, consumer := range c.Status.ReservedFor {
			uids = append(uids, consumer.UID)
		}
		return uids
	}, gomega.ConsistOf(want))
}

// HaveDeviceConditions matches a *ResourceClaim with each of these conditions true for some device in its status.
func HaveDeviceConditions(conditions ...string) types.GomegaMatcher {
	return gomega.WithTransform(func(c *resourceapi.ResourceClaim) []string {
		met := []string{}
		for _, d := range c.Status.Devices {
			for _, condition := range d.Conditions {
				if condition.Status == metav1.ConditionTrue {
					met = append(met, condition.Type)
				}
			}
		}
		return met
	}, gomega.ContainElements(conditions))
}

func results(c *resourceapi.ResourceClaim) []resourceapi.DeviceRequestAllocationResult {
	if c.Status.Allocation == nil {
		return nil
	}
	return c.Status.Allocation.Devices.Results
}
