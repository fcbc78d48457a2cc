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

package binding

import (
	"context"
	"slices"
	"time"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/edit"
	"github.com/dra-conformance/dratest/framework/objects"
)

// conditional returns a device with these binding conditions, and AttachFailed as failure
// condition, for a pool published by the case.
func conditional(name string, conditions ...string) resourceapi.Device {
	return resourceapi.Device{
		Name: name, BindingConditions: conditions, BindingFailureConditions: []string{profiles.AttachFailed},
		Attributes: map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{"name": {StringValue: &name}},
	}
}

// set makes conditions of a claim's device true, as its controller would.
func set(t *harness.T, claim, device string, conditions ...string) {
	edit.ClaimStatus(t, claim, func(c *resourceapi.ResourceClaim) {
		if c.Status.Allocation == nil {
			return // allocation given up
		}
		for _, r := range c.Status.Allocation.Devices.Results {
			if r.Device != device {
				continue
			}
			s := objects.DeviceStatus(c, r)
			if s == nil {
				c.Status.Devices = append(c.Status.Devices, resourceapi.AllocatedDeviceStatus{Driver: r.Driver, Pool: r.Pool, Device: device})
				s = &c.Status.Devices[len(c.Status.Devices)-1]
			}
			for _, condition := range conditions {
				meta.SetStatusCondition(&s.Conditions, metav1.Condition{Type: condition, Status: metav1.ConditionTrue, Reason: "Told", Message: "told by the case"})
			}
		}
	})
}

// meet makes all conditions of the claims' allocated devices true.
func meet(t *harness.T, claims ...string) {
	for _, name := range claims {
		claim := t.Claim(name)
		if claim.Status.Allocation == nil {
			continue
		}
		for _, r := range claim.Status.Allocation.Devices.Results {
			if len(r.BindingConditions) > 0 && !conditionsTrue(claim, r) {
				set(t, name, r.Device, r.BindingConditions...)
			}
		}
	}
}

// ready makes all conditions of the claims' devices true and returns the bound pod. The pod must
// not be bound earlier. If the scheduler meanwhile gives an allocation up, after too long a wait on
// a slow machine, the next allocation's conditions are made true.
func ready(t *harness.T, pod string, claims ...string) *corev1.Pod {
	t.Poll("pod "+pod+" to be bound with ready devices", func(ctx context.Context) (bool, string, error) {
		now, err := t.Client.CoreV1().Pods(t.Namespace).Get(ctx, pod, metav1.GetOptions{})
		if err != nil || now.Spec.NodeName != "" {
			return err == nil, "it is bound", err
		}
		meet(t, claims...)
		return false, "it is not bound", nil
	})
	bound := t.WaitScheduled(pod)
	for _, name := range claims {
		claim := t.WaitAllocated(name)
		for _, r := range claim.Status.Allocation.Devices.Results {
			if len(r.BindingConditions) > 0 {
				t.Expect(conditionsTrue(claim, r)).To(gomega.BeTrue(), "whether device %s of claim %s was ready when pod %s was bound", r.Device, name, pod)
			}
		}
	}
	return bound
}

// stayUnbound fails the case if one of these pods is bound before the scheduler's next check. Their
// devices are not ready.
func stayUnbound(t *harness.T, pods ...string) {
	t.Never(betweenLooks+2*time.Second, "pod bound before its device is ready", func(ctx context.Context) (bool, string, error) {
		for _, name := range pods {
			pod, err := t.Client.CoreV1().Pods(t.Namespace).Get(ctx, name, metav1.GetOptions{})
			if err != nil || pod.Spec.NodeName != "" {
				return err == nil, name, err
			}
		}
		return false, "none", nil
	})
}

// conditionsTrue reports whether all binding conditions of a claim's devices are true.
func conditionsTrue(claim *resourceapi.ResourceClaim, r resourceapi.DeviceRequestAllocationResult) bool {
	s := objects.DeviceStatus(claim, r)
	return s != nil && !slices.ContainsFunc(r.BindingConditions, func(c string) bool { return !meta.IsStatusConditionTrue(s.Conditions, c) })
}
