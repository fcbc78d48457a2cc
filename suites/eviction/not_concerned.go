package eviction

import (
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// NotConcerned has taints where they are none of the pods' business.
var NotConcerned = harness.Case{Meta: spec.Meta{
	ID: "eviction/not-concerned",
	Checks: "A pod stays when its device gets a taint NoExecute in a ResourceSlice of an older generation of the pool than the newest, and one whose status names a claim with " +
		"such a device, which the pod does not own, while another pod is deleted that uses its device.",
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
	t.ChangePodStatus("foreign", func(p *corev1.Pod) {
		p.Status.ResourceClaimStatuses = []corev1.PodResourceClaimStatus{{Name: "claim", ResourceClaimName: &foreign.Name}}
	})
	allocate(t, "foreign", "foreign", put)

	// The pod, the claim and the slice of the one that is deleted are the last of all.
	t.Publish("used", t.Nodes[0], named("used"))
	tolerant(t, class, "used")
	for _, name := range []string{"old", "foreign", "used"} {
		taint(t, name, map[string]resourceapi.DeviceTaint{name: broken(resourceapi.DeviceTaintEffectNoExecute)})
	}
	t.WaitPodGone("used")
	stays(t, "old", "foreign")
}}
