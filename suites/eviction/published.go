package eviction

import (
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
)

// users publishes a pool of devices on a node and has each used by a pod and a claim of its
// name.
func users(t *harness.T, class, pool, node string, names ...string) {
	var devices []resourceapi.Device
	for _, name := range names {
		devices = append(devices, named(name))
	}
	t.Publish(pool, node, devices...)
	for _, name := range names {
		tolerant(t, class, name)
	}
}

// tolerant creates a pod and a claim of its name, for the device of that name and with these
// tolerations, and waits until it is scheduled.
func tolerant(t *harness.T, class, name string, tolerations ...resourceapi.DeviceToleration) {
	claim := claimFor(t, class, name)
	claim.Spec.Devices.Requests[0].Exactly.Tolerations = tolerations
	t.Create(claim, objects.Pod(name, t.Image, name))
	t.WaitScheduled(name)
}

// claimFor is a claim for the device of its name.
func claimFor(t *harness.T, class, name string) *resourceapi.ResourceClaim {
	return objects.Claim(name, objects.Request("req", class, t.Attribute("name")+" == '"+name+"'"))
}

// forSeconds tolerates all taints NoExecute for a time.
func forSeconds(seconds int64) resourceapi.DeviceToleration {
	return resourceapi.DeviceToleration{Operator: resourceapi.DeviceTolerationOpExists, Effect: resourceapi.DeviceTaintEffectNoExecute, TolerationSeconds: &seconds}
}

// named is a device with its name in an attribute.
func named(name string) resourceapi.Device {
	return resourceapi.Device{Name: name, Attributes: map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{"name": {StringValue: &name}}}
}

// taint gives devices of a pool that the case published a taint each, by name.
func taint(t *harness.T, pool string, taints map[string]resourceapi.DeviceTaint) {
	t.ChangeSlice(pool+"-"+t.DriverName(), func(s *resourceapi.ResourceSlice) {
		for i := range s.Spec.Devices {
			if taint, ok := taints[s.Spec.Devices[i].Name]; ok {
				s.Spec.Devices[i].Taints = append(s.Spec.Devices[i].Taints, taint)
			}
		}
	})
}

// stays fails the case if a pod is being deleted, or is gone.
func stays(t *harness.T, names ...string) {
	for _, name := range names {
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: t.Namespace}}
		t.Get(pod)
		t.Expect(pod.DeletionTimestamp).To(gomega.BeNil(), "deletion of pod %s", name)
	}
}
