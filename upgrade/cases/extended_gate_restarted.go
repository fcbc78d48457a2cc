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
	corev1 "k8s.io/api/core/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/issues"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/upgrade/path"
)

// ExtendedGateRestarted kills a container after its kubelet has lost the feature.
var ExtendedGateRestarted = byName{explicit: true}.restarted(spec.Meta{
	ID:         "upgrade/extended-gate-restarted",
	Checks:     "A container with an extended-resource device keeps it over a restart after DRAExtendedResource is disabled.",
	Requires:   []spec.RequirementID{"kep-5004/restart-after-gate-off"},
	Needs:      spec.Needs{Profile: profiles.OneDevice()},
	KnownIssue: issues.Known("extended-gate-restarted"),
})

func (b byName) restarted(m spec.Meta) Case {
	return cycle{
		gate:   spec.ExtendedResource,
		before: func(t *harness.T, _ *Notes) { b.createClass(t) },
		first:  b.restartWithout,
		on: func(t *harness.T, n *Notes) {
			b.nameClass(t)
			pod := b.pod(t, claimed(n), t.Nodes[0])
			pod.Spec.RestartPolicy = corev1.RestartPolicyAlways
			b.runPod(t, n, pod)
		},
		off: func(t *harness.T, n *Notes) {
			if _, ok := n.Pods[claimed(n)]; ok {
				endPod(t, n, claimed(n))
			}
		},
	}.of(m)
}

// restartWithout kills the container of the pod on the kubelet just switched, and checks the next
// one.
func (b byName) restartWithout(t *harness.T, n *Notes, step path.Step) {
	name := claimed(n)
	noted, runs := n.Pods[name]
	if !runs || !switchesOff(step, noted.Node) {
		return
	}
	device := result(t, t.Claim(noted.Extended.ResourceClaimName)).Device
	t.EndContainer(name, "main")
	t.WaitRunningAgain(name, noted.Restarts)
	n.Pods[name] = podNow(t, name)
	seen := t.Environment(name, "main")
	if none, err := matchers.SeeNothing().Match(seen); err == nil && none {
		t.KnownIssue("expected device %s in the restarted container, got none", device)
		return
	}
	t.Expect(seen).To(matchers.SeeOnlyDevices(device), "devices of pod %s after its container was started again", name)
}
