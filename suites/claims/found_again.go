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
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// FoundAgain leaves a claim like a controller crashing before it has written the claim's name.
var FoundAgain = harness.Case{Meta: spec.Meta{
	ID:       "claims/found-again",
	Checks:   "An owned claim missing from the pod's status is found and used for the pod instead of creating a second one.",
	Requires: []spec.RequirementID{"kep-4381/generated-claim-found-again"},
	Needs:    spec.Needs{NoKubelet: true},
}, Run: func(t *harness.T) {
	class := devices(t, t.Nodes[0], 1)
	pod := objects.PodFromTemplate("pod", t.Image, "template")
	t.Create(pod)
	t.WaitEvent("pod", "FailedResourceClaimCreation", `"template" not found`)
	claim := objects.Claim("made-before", objects.Request("req", class))
	claim.Annotations = map[string]string{resourceapi.PodResourceClaimAnnotation: "claim"}
	claim.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(pod, corev1.SchemeGroupVersion.WithKind("Pod"))}
	// The controller knows the claim once it has released a later one.
	witness := objects.Claim("witness", objects.Request("req", class))
	witness.Finalizers = []string{resourceapi.Finalizer}
	t.Create(claim, witness)
	t.Delete(witness)
	t.WaitClaimGone("witness")

	t.Create(objects.Template("template", objects.Claim("", objects.Request("req", class))))
	t.Expect(generated(t, "pod").UID).To(gomega.Equal(claim.UID), "the claim in the pod's status")
	t.WaitScheduled("pod")
	t.Expect(consumers(t.Claim("made-before"))).To(gomega.Equal([]string{"pod"}), "consumers of the claim")
	t.Expect(t.Claims()).To(gomega.HaveLen(1), "claims of the namespace")
}}
