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

package cases

import (
	"fmt"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/admission"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// byName is a way to request devices of the case's class without a claim (KEP-5004): by the class's
// extendedResourceName, or by its implicit extended resource name.
type byName struct{ explicit bool }

func (b byName) resource(t *harness.T) string {
	if b.explicit {
		return t.DriverName() + "/device"
	}
	return resourceapi.ResourceDeviceClassPrefix + t.DriverName()
}

// named returns the extendedResourceName of the class's spec.
func (b byName) named(t *harness.T) *string {
	if b.explicit {
		return ptr.To(b.resource(t))
	}
	return nil
}

func (b byName) createClass(t *harness.T) {
	t.CreateClass(func(c *resourceapi.DeviceClass) { c.Spec.ExtendedResourceName = b.named(t) })
}

func classNow(t *harness.T) *resourceapi.DeviceClass {
	c := objects.Class(t.DriverName(), t.DriverName())
	t.Get(c)
	return c
}

func (b byName) classNamed(t *harness.T) {
	t.Expect(classNow(t).Spec.ExtendedResourceName).To(gomega.Equal(b.named(t)), "extended resource that the class names")
}

func (b byName) pod(t *harness.T, name, node string) *corev1.Pod {
	return objects.OnlyOn(objects.PodWanting(name, t.Image, map[string]int64{b.resource(t): 1}), node)
}

// run runs a pod on a node with DRA devices and notes it with its special claim.
func (b byName) run(t *harness.T, n *Notes, name, node string) {
	b.runPod(t, n, b.pod(t, name, node))
}

func (b byName) runPod(t *harness.T, n *Notes, pod *corev1.Pod) {
	pod = t.RunPod(pod)
	claim := b.specialClaim(t, pod)
	n.note(t, pod.Name, claim.Name)
	t.Expect(t.Environment(pod.Name, "main")).To(matchers.SeeOnlyDevices(claim.Status.Allocation.Devices.Results[0].Device), "devices of pod %s", pod.Name)
}

// specialClaim checks the special claim of a pod and its mapping in the pod's status.
func (b byName) specialClaim(t *harness.T, pod *corev1.Pod) *resourceapi.ResourceClaim {
	status := pod.Status.ExtendedResourceClaimStatus
	t.Expect(status).NotTo(gomega.BeNil(), "the claim in the status of pod %s", pod.Name)
	claim := t.WaitAllocated(status.ResourceClaimName)
	t.Expect(claim.Annotations).To(gomega.HaveKeyWithValue(resourceapi.ExtendedResourceClaimAnnotation, "true"), "annotation of claim %s", claim.Name)
	t.Expect(metav1.IsControlledBy(claim, pod)).To(gomega.BeTrue(), "the pod is the claim's controller: %v", claim.OwnerReferences)
	t.Expect(claim).To(matchers.BeReservedFor(pod), "consumers of claim %s", claim.Name)
	t.Expect(claim.Status.Allocation.Devices.Results).To(gomega.HaveLen(1), "devices of claim %s", claim.Name)
	request := claim.Status.Allocation.Devices.Results[0].Request
	t.Expect(status.RequestMappings).To(gomega.ConsistOf(
		corev1.ContainerExtendedResourceRequest{ContainerName: "main", ResourceName: b.resource(t), RequestName: request}),
		"what the status of pod %s maps to requests", pod.Name)
	return claim
}

// endPod deletes a noted pod and waits until its special claim is gone.
func endPod(t *harness.T, n *Notes, name string) {
	claim := n.Pods[name].Extended.ResourceClaimName
	t.RemovePod(name)
	awaitUnprepared(t, claim)
	t.WaitClaimGone(claim)
	n.forget(name, claim)
}

// quota is the ResourceQuota of the case's namespace.
const quota = "quota"

// quotaLimit is more than a case ever uses at a time.
const quotaLimit = 10

// limits returns all quota names for devices of the class.
func (b byName) limits(t *harness.T) []corev1.ResourceName {
	names := []corev1.ResourceName{
		corev1.ResourceName(corev1.ResourceImplicitExtendedClaimsPerClass + t.DriverName()),
		corev1.ResourceName(t.DriverName() + corev1.ResourceClaimsPerClass),
	}
	if b.explicit {
		names = append(names, corev1.ResourceName(corev1.DefaultResourceRequestsPrefix+b.resource(t)))
	}
	return names
}

func (b byName) createQuota(t *harness.T) {
	hard := corev1.ResourceList{}
	for _, name := range b.limits(t) {
		hard[name] = *resource.NewQuantity(quotaLimit, resource.DecimalSI)
	}
	admission.CreateQuota(t, quota, hard, objects.PodWanting("beyond", t.Image, map[string]int64{b.resource(t): quotaLimit + 1}))
	b.waitUsed(t, 0)
}

// waitUsed waits until the quota counts this number of devices, by all names.
func (b byName) waitUsed(t *harness.T, number int) {
	used := map[corev1.ResourceName]int64{}
	for _, name := range b.limits(t) {
		used[name] = int64(number)
	}
	admission.WaitUsed(t, quota, used)
}

// beyondQuota checks that pods and claims exceeding the quota are rejected.
func (b byName) beyondQuota(t *harness.T) {
	pod := objects.PodWanting("too-much", t.Image, map[string]int64{b.resource(t): quotaLimit})
	_, err := t.Client.CoreV1().Pods(t.Namespace).Create(t.Context(), pod, metav1.CreateOptions{})
	t.Expect(apierrors.IsForbidden(err)).To(gomega.BeTrue(), "pod that asks for %d devices while some are used: %v", quotaLimit, err)
	t.Expect(err).To(gomega.MatchError(gomega.ContainSubstring("exceeded quota")), "why the pod is refused")
	request := one(t.DriverName())
	request.Exactly.Count = quotaLimit
	_, err = t.Client.ResourceV1().ResourceClaims(t.Namespace).Create(t.Context(), objects.Claim("too-much", request), metav1.CreateOptions{})
	t.Expect(apierrors.IsForbidden(err)).To(gomega.BeTrue(), "claim that asks for %d devices while some are used: %v", quotaLimit, err)
	t.Expect(err).To(gomega.MatchError(gomega.ContainSubstring("exceeded quota")), "why the claim is refused")
}

func (b byName) runCounted(t *harness.T, name, node string) {
	pod := t.RunPod(b.pod(t, name, node))
	t.Expect(pod.Status.ExtendedResourceClaimStatus).To(gomega.BeNil(), "the claim of pod %s, which a device plugin serves", name)
	t.Expect(t.Environment(name, "main")).To(gomega.Or(matchers.SeeDevicePlugin("counted-0"), matchers.SeeDevicePlugin("counted-1")), "what pod %s sees", name)
}

// counted returns a device plugin's devices.
func (b byName) counted(t *harness.T, number int) spec.DevicePlugin {
	offer := spec.DevicePlugin{Resource: b.resource(t)}
	for i := range number {
		offer.Devices = append(offer.Devices, fmt.Sprintf("counted-%d", i))
	}
	return offer
}
