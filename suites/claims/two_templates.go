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

package claims

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/edit"
	"github.com/dra-conformance/dratest/framework/issues"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// TwoTemplates has a pod name one template twice, and another one created later.
var TwoTemplates = harness.Case{Meta: spec.Meta{
	ID:         "claims/two-templates",
	Checks:     "A pod with three template entries gets three claims of its own, and a deleted unused one is replaced.",
	Requires:   []spec.RequirementID{"kep-4381/template-creates-claim", "kep-4381/deleted-generated-claim-comes-again", "resource-v1/generated-claim-annotated"},
	Needs:      spec.Needs{NoKubelet: true},
	KnownIssue: issues.Known("kubernetes#138407"),
}, Run: func(t *harness.T) {
	class := devices(t, t.Nodes[0], 3)
	pod := objects.Pod("pod", t.Image)
	pod.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.com/later"}}
	pod.Spec.ResourceClaims = []corev1.PodResourceClaim{
		{Name: "first", ResourceClaimTemplateName: ptr.To("present")},
		{Name: "again", ResourceClaimTemplateName: ptr.To("present")},
		{Name: "later", ResourceClaimTemplateName: ptr.To("later")},
	}
	t.Create(objects.Template("present", objects.Claim("", objects.Request("req", class))), pod)
	t.WaitEvent("pod", "FailedResourceClaimCreation", `"later" not found`)
	t.Create(objects.Template("later", objects.Claim("", objects.Request("late", class))))

	made := namesOf(t.WaitPod("pod", "given all its claims", func(p *corev1.Pod) (bool, error) { return len(namesOf(p)) == len(p.Spec.ResourceClaims), nil }))
	t.Expect(slices.Sorted(maps.Keys(made))).To(gomega.Equal([]string{"again", "first", "later"}), "claims in the pod's status")
	requests := map[string]string{"first": "req", "again": "req", "later": "late"}
	for entry, name := range made {
		claim := t.Claim(name)
		t.Expect(claim.Annotations).To(gomega.HaveKeyWithValue(resourceapi.PodResourceClaimAnnotation, entry), "annotation of claim %s", name)
		t.Expect(metav1.IsControlledBy(claim, pod)).To(gomega.BeTrue(), "whether the pod owns claim %s", name)
		t.Expect(claim.Spec.Devices.Requests[0].Name).To(gomega.Equal(requests[entry]), "request of claim %s", name)
	}

	t.Delete(t.Claim(made["again"]))
	var then map[string]string
	if !t.OccursWithin(namingTime, "the pod's status to name all its claims again", func(ctx context.Context) (bool, string, error) {
		p, err := t.Client.CoreV1().Pods(t.Namespace).Get(ctx, "pod", metav1.GetOptions{})
		then = namesOf(p)
		return len(then) == len(made) && then["again"] != made["again"], fmt.Sprint(then), err
	}) {
		t.KnownIssue("expected the pod's status to name %d claims within %s, with another one for entry again, got %v, before %v", len(made), namingTime, then, made)
		return
	}
	t.Expect(then).To(gomega.And(gomega.HaveKeyWithValue("first", made["first"]), gomega.HaveKeyWithValue("later", made["later"])), "claims in the pod's status")
	edit.Ungate(t, "pod")
	t.WaitScheduled("pod")
	for _, name := range then {
		t.Expect(consumers(t.Claim(name))).To(gomega.Equal([]string{"pod"}), "consumers of claim %s", name)
	}
	t.Expect(t.Claims()).To(gomega.HaveLen(len(then)), "claims of the namespace")
}}

// namingTime is the time for the status of a pod to name all its claims.
const namingTime = 10 * time.Second

// namesOf returns the claim names in a pod's status, by the pod's own names.
func namesOf(pod *corev1.Pod) map[string]string {
	names := map[string]string{}
	for _, s := range pod.Status.ResourceClaimStatuses {
		names[s.Name] = ptr.Deref(s.ResourceClaimName, "")
	}
	return names
}
