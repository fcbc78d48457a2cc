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

package lifecycle

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/describe"
	"github.com/dra-conformance/dratest/framework/harness/undertest"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// restartTime bounds the restart of a rebooted node's pod, with a few failed attempts.
const restartTime = 5 * time.Minute

// NodeRebooted is Rebooted with the whole node, by its vendor's command. It is fair to all
// kubelets. The next pod gets a device, too.
var NodeRebooted = harness.Case{Meta: spec.Meta{
	ID:            "life/node-rebooted",
	Checks:        "A pod runs with its device again after a reboot of its node.",
	Requires:      []spec.RequirementID{"kep-4381/cdi-files-exist", "kep-4381/prepare-idempotent", "kubeletplugin/other-process-unprepares"},
	Needs:         spec.Needs{Devices: 1, DriverPods: true, Disruption: true, Hooks: []spec.HookName{spec.HookReboot}},
	WaitsFor:      "A node stops all of its containers, and starts.",
	SerialBecause: "It restarts a node with all of its pods.",
	Timeout:       20 * time.Minute,
}, Run: func(t *harness.T) {
	driver := undertest.Of(t)
	t.Create(objects.Claim("claim", t.Driver.Request("req")))
	pod := t.Pod("pod", "claim")
	pod.Spec.RestartPolicy = corev1.RestartPolicyAlways
	pod.Spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute}} // stays during the reboot
	pod = t.RunPod(pod)
	node, before := pod.Spec.NodeName, pod.Status.ContainerStatuses[0].ContainerID
	claim := t.WaitAllocated("claim")
	t.Driver.ExpectDevices("pod", "main", claim)

	driver.Reboot(node)

	seen := ""
	restarted := t.OccursWithin(restartTime, "pod \"pod\" to be running again", func(ctx context.Context) (bool, string, error) {
		p, err := t.Client.CoreV1().Pods(t.Namespace).Get(ctx, "pod", metav1.GetOptions{})
		if err != nil {
			return false, "", err
		}
		all := p.Status.ContainerStatuses
		seen = describe.Pod(p)
		return len(all) > 0 && all[0].State.Running != nil && all[0].ContainerID != before, seen, nil
	})
	t.Expect(restarted).To(gomega.BeTrue(), "whether the pod runs again within %s; last seen: %s", restartTime, seen)
	t.Driver.ExpectDevices("pod", "main", claim)
	t.RemovePod("pod")
	t.AwaitReleased("claim")
	driver.ExpectNothingLeft(node, claim)
	again(t, claim, node)
}}
