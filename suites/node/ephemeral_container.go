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

// EphemeralContainer adds ephemeral containers to a running pod with a claim. One without the claim
// runs and sees no device; nothing restarts and nothing is prepared again.
var EphemeralContainer = harness.Case{Meta: spec.Meta{
	ID:       "node/ephemeral-container",
	Checks:   "An ephemeral container cannot reference a claim, and does not disturb the other containers' devices.",
	Requires: []spec.RequirementID{"core-v1/ephemeral-container-no-claims", "kep-4381/only-named-claims"},
	Needs:    spec.Needs{Profile: profiles.OneDevice()},
	Catches:  []spec.MutantID{"driver-prepare-other-device"},
}, Run: func(t *harness.T) {
	t.Create(objects.Claim("claim", objects.Request("req", t.CreateClass(nil))))
	pod := t.RunPod(objects.Pod("pod", t.Image, "claim"))
	debug := func(claims ...string) error {
		p := pod.DeepCopy()
		t.Get(p)
		c := objects.Container("debug", t.Image, objects.ShowAndStay, claims...)
		p.Spec.EphemeralContainers = []corev1.EphemeralContainer{{EphemeralContainerCommon: corev1.EphemeralContainerCommon{
			Name: c.Name, Image: c.Image, ImagePullPolicy: c.ImagePullPolicy, Command: c.Command, Resources: c.Resources,
			TerminationMessagePolicy: corev1.TerminationMessageReadFile,
		}}}
		_, err := t.Client.CoreV1().Pods(t.Namespace).UpdateEphemeralContainers(t.Context(), p.Name, p, metav1.UpdateOptions{})
		return err
	}

	refused := debug("claim")
	t.Expect(apierrors.IsInvalid(refused)).To(gomega.BeTrue(), "whether an ephemeral container with a claim is refused: %v", refused)
	t.Expect(refused.Error()).To(gomega.ContainSubstring("spec.ephemeralContainers[0].resources"), "why it is refused")

	t.NoError(debug(), "add an ephemeral container without a claim")
	pod = t.WaitPod("pod", "running with an ephemeral container", func(p *corev1.Pod) (bool, error) {
		s := p.Status.EphemeralContainerStatuses
		return len(s) == 1 && s[0].State.Running != nil, nil
	})
	t.Expect(t.Environment("pod", "debug")).To(matchers.SeeNothing(), "the device visible to the ephemeral container")
	t.Expect(kubelet.CDIDevices(t, pod, "debug")).To(gomega.BeEmpty(), "CDI devices of the ephemeral container")
	t.Expect(t.Environment("pod", "main")).To(matchers.SeeDevices("claim", "req", "device-0"), "the device of the container beside it")
	t.Expect(pod.Status.ContainerStatuses[0].RestartCount).To(gomega.BeZero(), "restarts of the container beside it")
	simdriver.Of(t).ExpectCalls(spec.Prepare, "claim", 1, "")
}}
