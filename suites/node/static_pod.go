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

package node

import (
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/kubelet"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// StaticPod writes pod manifests to the kubelet's static pod directory. A static pod written later
// runs. The claim is neither allocated nor reserved, and no driver is called.
var StaticPod = harness.Case{Meta: spec.Meta{
	ID:            "node/static-pod",
	Checks:        "A static pod referencing a claim does not run.",
	Requires:      []spec.RequirementID{"static-pods/no-api-objects"},
	Needs:         spec.Needs{Profile: profiles.OneDevice(), Disruption: true},
	NoMutant:      "such a pod is rejected by Kubernetes' own manifest reader (pkg/kubelet/config/common.go), not replaced by this project",
	SerialBecause: "It writes where a kubelet looks for the pods of the system.",
	HoldsNode:     true,
}, Run: func(t *harness.T) {
	node := t.Nodes[0]
	claim := objects.Claim("claim", objects.Request("req", t.CreateClass(nil)))
	t.Create(claim)
	static := func(name string, claims ...string) *corev1.Pod {
		pod := objects.Pod(name, t.Image, claims...)
		pod.Spec.RestartPolicy, pod.Spec.NodeName = corev1.RestartPolicyAlways, node
		return pod
	}
	kubelet.CreateStaticPod(t, node, static("uses", "claim"))
	kubelet.CreateStaticPod(t, node, static("plain"))

	t.WaitRunning("plain-" + node) // the API server appends the node name to static pod names
	t.Expect(kubelet.PodResources(t, t.Nodes[0], "plain-"+node).Pods).To(gomega.ConsistOf("plain-"+node), "pods of the case listed by the podresources API")
	_, err := t.Client.CoreV1().Pods(t.Namespace).Get(t.Context(), "uses-"+node, metav1.GetOptions{})
	t.Expect(apierrors.IsNotFound(err)).To(gomega.BeTrue(), "whether the API server lists no pod referring to the claim: %v", err)
	t.Expect(t.Claim("claim")).To(matchers.BeReservedFor(), "consumers of the claim")
	t.Expect(t.Claim("claim").Status.Allocation).To(gomega.BeNil(), "allocation of the claim")
	simdriver.Of(t).ExpectCalls(spec.Prepare, "claim", 0, "")

	// Only the claim keeps it from running.
	kubelet.CreateStaticPod(t, node, static("uses"))
	t.WaitRunning("uses-" + node)
}}
