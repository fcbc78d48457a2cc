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
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/edit"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// NotConcerned has NoExecute taints not affecting pods: in a slice of an outdated generation, and
// for a claim in a pod's status without being owned by the pod.
var NotConcerned = harness.Case{Meta: spec.Meta{
	ID:       "eviction/not-concerned",
	Checks:   "Taints in outdated ResourceSlices and of claims not owned by the pod evict no pod.",
	Requires: []spec.RequirementID{"kep-4381/highest-generation-only", "kep-5055/foreign-claim-no-eviction"},
	Needs:    spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.DeviceTaints}},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	t.Publish("old", t.Nodes[0], named("old"))
	tolerant(t, class, "old")
	newest := t.Slice("old", t.Nodes[0], named("old"))
	newest.Name, newest.Spec.Pool.Generation = "newest-"+newest.Name, newest.Spec.Pool.Generation+1
	t.Create(newest)

	foreign := objects.Claim("foreign", objects.Request("req", class))
	foreign.Finalizers = []string{resourceapi.Finalizer}
	put := objects.PodFromTemplate("foreign", t.Image, "missing")
	put.Spec.NodeName = t.Nodes[0]
	t.Publish("foreign", t.Nodes[0], named("foreign"))
	t.Create(foreign, put)
	edit.PodStatus(t, "foreign", func(p *corev1.Pod) {
		p.Status.ResourceClaimStatuses = []corev1.PodResourceClaimStatus{{Name: "claim", ResourceClaimName: &foreign.Name}}
	})
	allocate(t, "foreign", "foreign", put)

	// Pod, claim and slice of the evicted pod are created last.
	t.Publish("used", t.Nodes[0], named("used"))
	tolerant(t, class, "used")
	for _, name := range []string{"old", "foreign", "used"} {
		taint(t, name, map[string]resourceapi.DeviceTaint{name: broken(resourceapi.DeviceTaintEffectNoExecute)})
	}
	t.WaitPodGone("used")
	stays(t, "old", "foreign")
}}
