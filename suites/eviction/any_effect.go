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

package eviction

import (
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/issues"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// AnyEffect taints the devices of two pods, one with a toleration for every effect. It must stay
// after the eviction of a pod with tolerationSeconds.
var AnyEffect = harness.Case{Meta: spec.Meta{
	ID:         "eviction/any-effect",
	Checks:     "A toleration without effect tolerates a NoExecute taint.",
	Requires:   []spec.RequirementID{"kep-5055/tolerate-any-effect", "kep-5055/evict-by-slice"},
	Needs:      spec.Needs{Features: []spec.Feature{spec.DeviceTaints}, Profile: profiles.Devices(3)},
	KnownIssue: issues.Known("any-effect"),
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	tolerant := objects.Tolerating(objects.Claim("tolerant", objects.Request("req", class)), nil)
	tolerant.Spec.Devices.Requests[0].Exactly.Tolerations[0].Effect = ""
	t.Create(objects.Claim("other", objects.Request("req", class)), tolerant,
		objects.Tolerating(objects.Claim("a-while", objects.Request("req", class)), ptr.To[int64](3)))
	for _, name := range []string{"other", "tolerant", "a-while"} {
		t.RunPod(objects.Pod(name, t.Image, name))
	}

	simdriver.Of(t).Publish(profiles.Tainted(profiles.Devices(3), broken(resourceapi.DeviceTaintEffectNoExecute)))

	t.WaitEvent("other", event, "Marking for deletion")
	t.WaitPodGone("other")
	t.WaitPodGone("a-while") // the last eviction for this taint
	pod, err := t.Client.CoreV1().Pods(t.Namespace).Get(t.Context(), "tolerant", metav1.GetOptions{})
	if apierrors.IsNotFound(err) || err == nil && pod.DeletionTimestamp != nil {
		t.KnownIssue("expected the pod to stay, as its claim tolerates every effect, and it was deleted")
		return
	}
	t.NoError(err, "read pod tolerant")
	t.Expect(pod.Status.Phase).To(gomega.Equal(corev1.PodRunning), "phase of the pod with the toleration")
}}
