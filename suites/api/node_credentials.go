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

package api

import (
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// NodeCredentials reads and writes claims and slices as a kubelet.
var NodeCredentials = harness.Case{Meta: spec.Meta{
	ID:       "api/node-credentials",
	Checks:   "A kubelet may only read claims of pods on its node, and list and change slices of its node.",
	Requires: []spec.RequirementID{"kep-4381/kubelet-reads-claims-only"},
	Needs:    spec.Needs{NoNode: true},
}, Run: func(t *harness.T) {
	node := t.Namespace + "-node" // There is none of this name, so nothing happens to the pod.
	t.Create(podAccount(), validClaim(), objects.Claim("other", objects.Request("req", "class")))
	pod := unscheduled(objects.Pod("pod", t.Image, "claim"))
	pod.Spec.NodeName = node
	t.Create(pod)
	slice := objects.NetworkSlice(t.Namespace, driver, "pool", resourceapi.Device{Name: "device"})
	slice.Spec.AllNodes, slice.Spec.NodeName = nil, &node
	elsewhere := slice.DeepCopy()
	elsewhere.Name, elsewhere.Spec.NodeName = t.Namespace+"-other", &t.Namespace
	t.Create(slice, elsewhere)

	kubelet := asNode(t, node).ResourceV1()
	claims, slices := kubelet.ResourceClaims(t.Namespace), kubelet.ResourceSlices()
	allowed(t, "the claim of a pod on the node, to be read", func() error {
		_, err := claims.Get(t.Context(), "claim", metav1.GetOptions{})
		return err
	})
	claim, err := claims.Get(t.Context(), "claim", metav1.GetOptions{})
	t.NoError(err, "read the claim as the node")
	label := []byte(`{"metadata":{"labels":{"changed":"true"}}}`)
	_, otherErr := claims.Get(t.Context(), "other", metav1.GetOptions{})
	_, listErr := claims.List(t.Context(), metav1.ListOptions{})
	_, patchErr := claims.Patch(t.Context(), "claim", types.MergePatchType, label, metav1.PatchOptions{})
	answers := map[string]error{
		"read a claim of no pod on the node": otherErr, "list claims": listErr, "patch the claim": patchErr,
		"update the claim": update(t, claims)(claim), "update the claim's status": updateStatus(t, claims)(claim),
		"create a claim":   create(t, claims)(objects.Claim("new", objects.Request("req", "class"))),
		"delete the claim": claims.Delete(t.Context(), "claim", metav1.DeleteOptions{}),
	}

	t.Step("list and change slices as the node")
	list, err := slices.List(t.Context(), metav1.ListOptions{FieldSelector: resourceapi.ResourceSliceSelectorNodeName + "=" + node})
	t.NoError(err, "list the node's slices as the node")
	t.Expect(list.Items).To(gomega.HaveLen(1), "the node's slices")
	allowed(t, "the node's slice, to be changed", func() error {
		_, err := slices.Patch(t.Context(), slice.Name, types.MergePatchType, label, metav1.PatchOptions{})
		return err
	})
	_, answers["list slices of all nodes"] = slices.List(t.Context(), metav1.ListOptions{})
	_, answers["patch another node's slice"] = slices.Patch(t.Context(), elsewhere.Name, types.MergePatchType, label, metav1.PatchOptions{})
	answers["delete another node's slice"] = slices.Delete(t.Context(), elsewhere.Name, metav1.DeleteOptions{})
	// No kubelet ends the pod.
	t.Delete(pod, harness.GracePeriod(0))
	for what, err := range answers {
		t.Expect(apierrors.IsForbidden(err)).To(gomega.BeTrue(), "%s as the node, to be forbidden: %v", what, err)
	}
}}
