package perf

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/objects"
)

const (
	templateName = "claim"
	// podImage is never pulled: nodes are simulated.
	podImage = "none"
)

// slice is the inventory of a node.
func (w Workload) slice(node string) *resourceapi.ResourceSlice {
	s := &resourceapi.ResourceSlice{
		ObjectMeta: metav1.ObjectMeta{Name: node},
		Spec: resourceapi.ResourceSliceSpec{
			Driver: DriverName, NodeName: ptr.To(node),
			Pool: resourceapi.ResourcePool{Name: node, Generation: 1, ResourceSliceCount: 1},
		},
	}
	for i := range w.Devices {
		device := *w.Device.DeepCopy()
		device.Name = fmt.Sprintf("device-%d", i)
		s.Spec.Devices = append(s.Spec.Devices, device)
	}
	return s
}

func (w Workload) claim(name string) *resourceapi.ResourceClaim {
	if w.Claim == nil {
		return objects.Claim(name, objects.Request("req", ClassName))
	}
	return &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: *w.Claim.DeepCopy()}
}

// sharedClaims are those of a round.
func (w Workload) sharedClaims() []*resourceapi.ResourceClaim {
	if w.Claims != SharedClaims {
		return nil
	}
	var claims []*resourceapi.ResourceClaim
	for i := range (w.Pods + w.PodsPerClaim - 1) / w.PodsPerClaim {
		claims = append(claims, w.claim(fmt.Sprintf("claim-%d", i)))
	}
	return claims
}

// pod is the i-th of a round, whose pods' names begin with prefix.
func (w Workload) pod(prefix string, i int) *corev1.Pod {
	name := fmt.Sprintf("%s%d", prefix, i)
	switch w.Claims {
	case TemplateClaims:
		return objects.PodFromTemplate(name, podImage, templateName)
	case SharedClaims:
		return objects.Pod(name, podImage, fmt.Sprintf("claim-%d", i/w.PodsPerClaim))
	case ExtendedClaims:
		pod := objects.Pod(name, podImage)
		pod.Spec.Containers[0].Resources.Limits = corev1.ResourceList{ResourceName: resource.MustParse("1")}
		return pod
	default:
		return objects.Pod(name, podImage)
	}
}

// class is the one of all claims.
func (w Workload) class() *resourceapi.DeviceClass {
	class := objects.Class(ClassName, DriverName)
	if w.Claims == ExtendedClaims {
		class.Spec.ExtendedResourceName = ptr.To(ResourceName)
	}
	return class
}
