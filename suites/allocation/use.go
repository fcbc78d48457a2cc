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

package allocation

import (
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
)

// noDevices is the scheduler's message for nodes without the devices for a pod's claims.
const noDevices = "cannot allocate all claims"

// use creates a claim and a pod of the same name, and returns the claim once the pod is scheduled.
func use(t *harness.T, claim *resourceapi.ResourceClaim) *resourceapi.ResourceClaim {
	t.Create(claim, objects.Pod(claim.Name, t.Image, claim.Name))
	return used(t, claim.Name)
}

// used returns a claim once the pod of the same name is scheduled.
func used(t *harness.T, name string) *resourceapi.ResourceClaim {
	t.WaitScheduled(name)
	return t.Claim(name)
}

// retried returns a claim once the waiting pod of the same name is scheduled because of what the case has just done.
func retried(t *harness.T, name string) *resourceapi.ResourceClaim {
	t.WaitRetried(name)
	return t.Claim(name)
}

// wait creates a claim and a pod of the same name, and returns once the scheduler has found no devices for them.
func wait(t *harness.T, claim *resourceapi.ResourceClaim) {
	t.Create(claim, objects.Pod(claim.Name, t.Image, claim.Name))
	t.WaitUnschedulable(claim.Name, noDevices)
}

// scheduled returns whether a pod is scheduled, or the scheduler has found no devices for it.
func scheduled(t *harness.T, name string) bool { return scheduledOr(t, name, noDevices) }

// scheduledOr returns whether a pod is scheduled, or has the message of a failed attempt.
func scheduledOr(t *harness.T, name, message string) bool {
	return t.WaitPod(name, "scheduled or unschedulable", func(p *corev1.Pod) (bool, error) {
		return p.Spec.NodeName != "" || slices.ContainsFunc(p.Status.Conditions, func(c corev1.PodCondition) bool {
			return c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse && strings.Contains(c.Message, message)
		}), nil
	}).Spec.NodeName != ""
}

// release deletes the pod of a claim of the same name and waits until the claim is free again.
func release(t *harness.T, name string) {
	t.RemovePod(name)
	t.WaitDeallocated(name)
}

// device returns a device with these attributes; values are integers or strings.
func device(name string, attributes map[string]any) resourceapi.Device {
	d := resourceapi.Device{Name: name, Attributes: map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{}}
	for _, key := range slices.Sorted(maps.Keys(attributes)) {
		var a resourceapi.DeviceAttribute
		switch value := attributes[key].(type) {
		case int:
			a.IntValue = ptr.To(int64(value))
		case string:
			a.StringValue = &value
		}
		d.Attributes[resourceapi.QualifiedName(key)] = a
	}
	return d
}

// count returns a request for number devices of a class.
func count(name, class string, number int64, selectors ...string) resourceapi.DeviceRequest {
	request := objects.Request(name, class, selectors...)
	request.Exactly.Count = number
	return request
}

// all returns a request for all devices of a class.
func all(name, class string, selectors ...string) resourceapi.DeviceRequest {
	request := objects.Request(name, class, selectors...)
	request.Exactly.AllocationMode = resourceapi.DeviceAllocationModeAll
	return request
}

// match returns a constraint on some requests, all if none are named: an attribute of the case's driver has one
// value.
func match(t *harness.T, attribute string, requests ...string) resourceapi.DeviceConstraint {
	return resourceapi.DeviceConstraint{Requests: requests, MatchAttribute: ptr.To(resourceapi.FullyQualifiedName(t.DriverName() + "/" + attribute))}
}

// constrained gives a claim constraints.
func constrained(claim *resourceapi.ResourceClaim, constraints ...resourceapi.DeviceConstraint) *resourceapi.ResourceClaim {
	claim.Spec.Devices.Constraints = constraints
	return claim
}

// results returns the devices of a claim, each as "request=pool/device", in their order.
func results(claim *resourceapi.ResourceClaim) []string {
	var all []string
	if claim.Status.Allocation != nil {
		for _, r := range claim.Status.Allocation.Devices.Results {
			all = append(all, r.Request+"="+r.Pool+"/"+r.Device)
		}
	}
	return all
}
