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
	"github.com/dra-conformance/dratest/framework/objects"
)

// conditional is a device of a pool that the case publishes itself, with these binding
// conditions and AttachFailed for a failure.
func conditional(name string, conditions ...string) resourceapi.Device {
	return resourceapi.Device{
		Name: name, BindingConditions: conditions, BindingFailureConditions: []string{profiles.AttachFailed},
		Attributes: map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{"name": {StringValue: &name}},
	}
}

// set has conditions of a device of a claim become true, as its controller would.
func set(t *harness.T, claim, device string, conditions ...string) {
	t.ChangeClaimStatus(claim, func(c *resourceapi.ResourceClaim) {
		if c.Status.Allocation == nil {
			return // it was given up
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

// meet has all devices of those claims meet their conditions that are allocated.
func meet(t *harness.T, claims ...string) {
	for _, name := range claims {
		claim := t.Claim(name)
		if claim.Status.Allocation == nil {
			continue
		}
		for _, r := range claim.Status.Allocation.Devices.Results {
			if len(r.BindingConditions) > 0 && !told(claim, r) {
				set(t, name, r.Device, r.BindingConditions...)
			}
		}
	}
}

// ready has all devices of claims meet their conditions and returns the pod once it is
// bound, which it may not be before they have. Where the scheduler gave an allocation up
// meanwhile, because it has waited for too long on a slow machine, those of the next one do.
func ready(t *harness.T, pod string, claims ...string) *corev1.Pod {
	t.Poll("pod "+pod+" to be bound with devices that are ready", func(ctx context.Context) (bool, string, error) {
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
				t.Expect(told(claim, r)).To(gomega.BeTrue(), "whether device %s of claim %s was ready when pod %s was bound", r.Device, name, pod)
			}
		}
	}
	return bound
}

// stayUnbound fails the case if one of these pods, of which devices are not ready, is bound
// before the scheduler has looked at them once more.
func stayUnbound(t *harness.T, pods ...string) {
	bound := t.Within(betweenLooks+2*time.Second, "a pod to be bound whose device is not ready", func(ctx context.Context) (bool, string, error) {
		for _, name := range pods {
			pod, err := t.Client.CoreV1().Pods(t.Namespace).Get(ctx, name, metav1.GetOptions{})
			if err != nil || pod.Spec.NodeName != "" {
				return err == nil, "pod " + name + " is bound", err
			}
		}
		return false, "none is", nil
	})
	t.Expect(bound).To(gomega.BeFalse(), "whether a pod is bound whose device is not ready")
}

// told is whether all conditions are true for which a device of a claim makes pods wait.
func told(claim *resourceapi.ResourceClaim, r resourceapi.DeviceRequestAllocationResult) bool {
	s := objects.DeviceStatus(claim, r)
	return s != nil && !slices.ContainsFunc(r.BindingConditions, func(c string) bool { return !meta.IsStatusConditionTrue(s.Conditions, c) })
}
