package objects

import (
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TaintRule gives all devices of a driver a taint.
func TaintRule(name, driver string, taint resourceapi.DeviceTaint) *resourceapi.DeviceTaintRule {
	return &resourceapi.DeviceTaintRule{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       resourceapi.DeviceTaintRuleSpec{DeviceSelector: &resourceapi.DeviceTaintSelector{Driver: &driver}, Taint: taint},
	}
}

// Repels is whether a taint keeps pods from a device that do not tolerate it.
func Repels(t resourceapi.DeviceTaint) bool { return t.Effect != resourceapi.DeviceTaintEffectNone }

// Tolerating has all requests of a claim tolerate whatever taints that keep pods from
// running: for so many seconds, or if that is nil for ever.
func Tolerating(claim *resourceapi.ResourceClaim, seconds *int64) *resourceapi.ResourceClaim {
	for i := range claim.Spec.Devices.Requests {
		exactly := claim.Spec.Devices.Requests[i].Exactly
		exactly.Tolerations = append(exactly.Tolerations, resourceapi.DeviceToleration{
			Operator: resourceapi.DeviceTolerationOpExists, Effect: resourceapi.DeviceTaintEffectNoExecute, TolerationSeconds: seconds,
		})
	}
	return claim
}
