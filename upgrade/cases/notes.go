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
	"maps"
	"slices"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/spec"
)

// note records a running pod and its allocated and prepared claims.
func (n *Notes) note(t *harness.T, pod string, claims ...string) {
	n.open()
	n.Pods[pod] = podNow(t, pod)
	for _, name := range claims {
		n.Claims[name] = claimNow(t, name)
	}
}

// open makes missing maps: empty ones are nil after a round trip to disk.
func (n *Notes) open() {
	if n.Pods == nil {
		n.Pods = map[string]Pod{}
	}
	if n.Claims == nil {
		n.Claims = map[string]Claim{}
	}
	if n.Rounds == nil {
		n.Rounds = map[string]int{}
	}
}

// next returns the next round of something.
func (n *Notes) next(of string) int {
	n.open()
	n.Rounds[of]++
	return n.Rounds[of]
}

func (n *Notes) forget(pod string, claims ...string) {
	delete(n.Pods, pod)
	for _, name := range claims {
		delete(n.Claims, name)
	}
}

func (n *Notes) unchanged(t *harness.T) {
	n.expectThere(t)
	for _, name := range slices.Sorted(maps.Keys(n.Pods)) {
		t.Expect(podNow(t, name)).To(gomega.Equal(n.Pods[name]), "pod %s: no restart, same node and claim", name)
	}
	for _, name := range slices.Sorted(maps.Keys(n.Claims)) {
		t.Expect(claimNow(t, name)).To(gomega.Equal(n.Claims[name]), "claim %s: same devices, prepared once, and still so", name)
	}
}

// expectThere fails at once if a noted pod or allocation is gone: it will not come back.
func (n *Notes) expectThere(t *harness.T) {
	for _, name := range slices.Sorted(maps.Keys(n.Pods)) {
		if _, err := t.Client.CoreV1().Pods(t.Namespace).Get(t.Context(), name, metav1.GetOptions{}); apierrors.IsNotFound(err) {
			t.Fatalf("pod %s is gone (UID %s, node %s)", name, n.Pods[name].UID, n.Pods[name].Node)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(n.Claims)) {
		claim, err := t.Client.ResourceV1().ResourceClaims(t.Namespace).Get(t.Context(), name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			t.Fatalf("claim %s is gone (UID %s)", name, n.Claims[name].UID)
		}
		if err == nil && claim.Status.Allocation == nil {
			t.Fatalf("claim %s is not allocated any more (it had %v)", name, n.Claims[name].Devices)
		}
	}
}

// preparedAgain allows one more prepare call after a kubelet restart. The checkpoint has the
// claims, but not whether they are prepared (k8s.io/kubernetes v1.37.1
// pkg/kubelet/cm/dra/claiminfo.go:45 keeps it beside the state, :143 starts with false). So the
// kubelet prepares a claim again for the first pod joining it (manager.go:387 does not skip it).
// Drivers must accept it (KEP-4381, NodePrepareResources). Running pods are not prepared again
// without a new sandbox (pkg/kubelet/kuberuntime/kuberuntime_manager.go:1720).
func (n *Notes) preparedAgain(t *harness.T, claim string) {
	now, was := claimNow(t, claim), n.Claims[claim]
	t.Expect(now.Prepared).To(gomega.BeNumerically("<=", was.Prepared+1), "NodePrepareResources calls for claim %s", claim)
	was.Prepared = now.Prepared
	n.Claims[claim] = was
}

func podNow(t *harness.T, name string) Pod {
	pod := t.WaitRunning(name)
	t.Expect(pod.Status.ContainerStatuses).NotTo(gomega.BeEmpty(), "containers of pod %s", name)
	c := pod.Status.ContainerStatuses[0]
	return Pod{
		UID: pod.UID, Node: pod.Spec.NodeName, Container: c.ContainerID, Restarts: c.RestartCount,
		Extended: pod.Status.ExtendedResourceClaimStatus,
	}
}

func claimNow(t *harness.T, name string) Claim {
	claim := t.WaitAllocated(name)
	if t.Target().DriverUnderTest != nil { // a vendor's driver: its calls are visible only through the kubelet
		t.Driver.ExpectHeld(claim)
		return Claim{UID: claim.UID, Devices: devices(claim), Held: true}
	}
	prepared := 0
	simdriver.Of(t).AwaitCalls(spec.Prepare, name, "at least one", func(calls []spec.Call) bool {
		prepared = len(calls)
		return prepared > 0
	})
	return Claim{UID: claim.UID, Devices: devices(claim), Prepared: prepared, Held: simdriver.Of(t).Holds(claim.UID)}
}

func devices(claim *resourceapi.ResourceClaim) []string {
	var found []string
	for _, r := range claim.Status.Allocation.Devices.Results {
		found = append(found, fmt.Sprintf("%s=%s/%s/%s", r.Request, r.Driver, r.Pool, r.Device))
	}
	return found
}

// generated returns the claim created from a pod's template.
func generated(t *harness.T, pod *corev1.Pod) string {
	t.Expect(pod.Status.ResourceClaimStatuses).To(gomega.HaveLen(1), "claims in the status of pod %s", pod.Name)
	name := pod.Status.ResourceClaimStatuses[0].ResourceClaimName
	t.Expect(name).NotTo(gomega.BeNil(), "name of the generated claim of pod %s", pod.Name)
	return *name
}

func awaitUnprepared(t *harness.T, claim string) {
	simdriver.Of(t).AwaitCalls(spec.Unprepare, claim, "one that succeeded", func(calls []spec.Call) bool {
		return slices.ContainsFunc(calls, func(c spec.Call) bool {
			return c.Error == "" && !slices.ContainsFunc(c.Claims, func(cc spec.ClaimCall) bool { return cc.Name == claim && cc.Error != "" })
		})
	})
}
