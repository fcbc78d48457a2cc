package binding

import (
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
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
		for _, r := range c.Status.Allocation.Devices.Results {
			if r.Device != device {
				continue
			}
			i := slices.IndexFunc(c.Status.Devices, func(d resourceapi.AllocatedDeviceStatus) bool { return d.Device == device && d.Pool == r.Pool })
			if i < 0 {
				i = len(c.Status.Devices)
				c.Status.Devices = append(c.Status.Devices, resourceapi.AllocatedDeviceStatus{Driver: r.Driver, Pool: r.Pool, Device: device})
			}
			for _, condition := range conditions {
				meta.SetStatusCondition(&c.Status.Devices[i].Conditions, metav1.Condition{Type: condition, Status: metav1.ConditionTrue, Reason: "Told", Message: "told by the case"})
			}
		}
	})
}
