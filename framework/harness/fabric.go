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

package harness

import (
	"github.com/onsi/ginkgo/v2"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/spec"
)

// Fabric scripts what the fabric says of the devices on one node, in place of
// what it said there before: which conditions become true, and when. In the
// beginning it says nothing, so that pods wait.
func (d *Driver) Fabric(node string, conditions ...spec.FabricCondition) {
	ginkgo.GinkgoHelper()
	for _, c := range conditions {
		d.t.Step("script fabric on %s: %s after %s", node, c.Type, c.Delay)
	}
	// Not nil, which would leave the script as it is (slices.Concat returns that for nothing).
	all := append([]spec.FabricCondition{}, conditions...)
	d.t.NoError(d.tell(d.t.ctx, node, spec.DriverChange{Fabric: &all}), "script fabric")
}

// AttachDevices has the case's own driver make these conditions of its devices true when they are
// allocated; others have a controller that does so.
func (t *T) AttachDevices(conditions ...string) {
	ginkgo.GinkgoHelper()
	if t.Driver == nil {
		return
	}
	var script []spec.FabricCondition
	for _, c := range conditions {
		script = append(script, spec.FabricCondition{Type: c})
	}
	for _, node := range t.Nodes {
		t.Driver.Fabric(node, script...)
	}
}

// WaitScheduled waits until a pod is bound to a node. What holds then is read
// at once, as the pod may run a moment later.
func (t *T) WaitScheduled(name string) *corev1.Pod {
	ginkgo.GinkgoHelper()
	return t.WaitPod(name, "scheduled", func(p *corev1.Pod) (bool, error) { return p.Spec.NodeName != "", nil })
}

// Claim reads a claim of the case as it is now.
func (t *T) Claim(name string) *resourceapi.ResourceClaim {
	ginkgo.GinkgoHelper()
	claim := &resourceapi.ResourceClaim{}
	claim.Name, claim.Namespace = name, t.Namespace
	t.Get(claim)
	return claim
}

// Claims are all claims of the case's namespace as they are now.
func (t *T) Claims() []resourceapi.ResourceClaim {
	ginkgo.GinkgoHelper()
	list, err := t.Client.ResourceV1().ResourceClaims(t.Namespace).List(t.ctx, metav1.ListOptions{})
	t.NoError(err, "list the claims")
	return list.Items
}
