package eviction

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// AllPods taints the devices of pods that came to them in different ways.
var AllPods = harness.Case{Meta: spec.Meta{
	ID: "eviction/all-pods",
	Checks: "A taint NoExecute also deletes a pod whose claim was made from a template, one with two claims, one in another namespace, and one that is put on its " +
		"node with an allocated claim when the device has the taint already.",
	Requires: []spec.RequirementID{"kep-5055/evict-by-slice", "kep-5055/tainted-claim-deallocated"},
	Needs:    spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.DeviceTaints}},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	of := func(name string) *resourceapi.ResourceClaim {
		return objects.Claim(name, objects.Request("req", class, t.Attribute("name")+" == '"+name+"'"))
	}
	t.Publish("pool", t.Nodes[0], named("template"), named("first"), named("second"), named("elsewhere"), named("put"))
	t.Create(objects.Template("template", of("template")), objects.PodFromTemplate("template", t.Image, "template"),
		of("first"), of("second"), objects.Pod("two", t.Image, "first", "second"))
	t.WaitScheduled("template")
	t.WaitScheduled("two")
	gone := elsewhere(t, of("elsewhere"))

	taints := map[string]resourceapi.DeviceTaint{}
	for _, name := range []string{"template", "first", "second", "elsewhere", "put"} {
		taints[name] = broken(resourceapi.DeviceTaintEffectNoExecute)
	}
	taint(t, "pool", taints)
	t.WaitPodGone("template")
	t.WaitPodGone("two")
	t.WaitDeallocated("first")
	t.WaitDeallocated("second")
	gone()

	put := of("put")
	put.Finalizers = []string{resourceapi.Finalizer}
	t.Create(put)
	allocate(t, "put", "pool")
	pod := objects.Pod("put", t.Image, "put")
	pod.Spec.NodeName = t.Nodes[0]
	t.Create(pod)
	t.WaitPodGone("put")
	t.WaitDeallocated("put")
}}

// elsewhere has a claim used by a pod of its name in another namespace, and returns what waits
// until that pod is gone.
func elsewhere(t *harness.T, claim *resourceapi.ResourceClaim) (gone func()) {
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		Name: t.Namespace + "-other", Labels: map[string]string{"pod-security.kubernetes.io/enforce": "privileged"},
	}}
	t.Create(namespace)
	_, err := t.Client.CoreV1().ServiceAccounts(namespace.Name).Create(t.Context(), objects.DefaultAccount(), metav1.CreateOptions{})
	if !apierrors.IsAlreadyExists(err) {
		t.NoError(err, "create the service account of the other namespace")
	}
	_, err = t.Client.ResourceV1().ResourceClaims(namespace.Name).Create(t.Context(), claim, metav1.CreateOptions{})
	t.NoError(err, "create a claim in the other namespace")
	pods := t.Client.CoreV1().Pods(namespace.Name)
	_, err = pods.Create(t.Context(), objects.Pod(claim.Name, t.Image, claim.Name), metav1.CreateOptions{})
	t.NoError(err, "create a pod in the other namespace")
	look := func(ok func(pod *corev1.Pod, err error) bool) func(ctx context.Context) (bool, string, error) {
		return func(ctx context.Context) (bool, string, error) {
			pod, err := pods.Get(ctx, claim.Name, metav1.GetOptions{})
			if err != nil && !apierrors.IsNotFound(err) {
				return false, "", err
			}
			return ok(pod, err), fmt.Sprintf("node %q, deleted at %v, %v", pod.Spec.NodeName, pod.DeletionTimestamp, err), nil
		}
	}
	t.Poll("the pod in the other namespace to be scheduled", look(func(pod *corev1.Pod, err error) bool { return err == nil && pod.Spec.NodeName != "" }))
	return func() {
		t.Poll("the pod in the other namespace to be gone", look(func(_ *corev1.Pod, err error) bool { return err != nil }))
	}
}

// allocate gives a claim the device of its name in a pool, as a scheduler would, and has it
// reserved for these pods.
func allocate(t *harness.T, claim, pool string, pods ...*corev1.Pod) {
	t.ChangeClaimStatus(claim, func(c *resourceapi.ResourceClaim) {
		c.Status.Allocation = &resourceapi.AllocationResult{Devices: resourceapi.DeviceAllocationResult{
			Results: []resourceapi.DeviceRequestAllocationResult{{Request: "req", Driver: t.DriverName(), Pool: pool, Device: claim}},
		}}
		for _, pod := range pods {
			c.Status.ReservedFor = append(c.Status.ReservedFor, resourceapi.ResourceClaimConsumerReference{Resource: "pods", Name: pod.Name, UID: pod.UID})
		}
	})
}
