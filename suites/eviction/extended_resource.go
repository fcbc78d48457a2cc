package eviction

import (
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// ExtendedResourceBySlice has a driver taint the device of an extended resource.
var ExtendedResourceBySlice = harness.Case{Meta: spec.Meta{
	ID:         "eviction/extended-resource-by-slice",
	Checks:     "A pod with an extended resource is deleted when its device gets a taint NoExecute in the ResourceSlice, as one with a claim is.",
	Requires:   []spec.RequirementID{"kep-5055/evict-extended-resources", "kep-5055/evict-by-slice"},
	Needs:      spec.Needs{Features: []spec.Feature{spec.DeviceTaints, spec.ExtendedResource}, Profile: profiles.TwoDevices()},
	KnownIssue: extendedResourcesStay(),
}, Run: func(t *harness.T) {
	evictsExtended(t, func() {
		t.Driver.Publish(profiles.Tainted(profiles.TwoDevices(), broken(resourceapi.DeviceTaintEffectNoExecute)))
	})
}}

// ExtendedResourceByRule taints the device of an extended resource by a rule.
var ExtendedResourceByRule = harness.Case{Meta: spec.Meta{
	ID:       "eviction/extended-resource-by-rule",
	Checks:   "A pod with an extended resource is deleted when a DeviceTaintRule gives its device a taint NoExecute, as one with a claim is.",
	Requires: []spec.RequirementID{"kep-5055/evict-extended-resources", "kep-5055/evict-by-rule"},
	Needs: spec.Needs{
		Features: []spec.Feature{spec.DeviceTaints, spec.DeviceTaintRules, spec.ExtendedResource}, Profile: profiles.TwoDevices(),
	},
	KnownIssue: extendedResourcesStay(),
}, Run: func(t *harness.T) {
	evictsExtended(t, func() {
		t.Create(objects.TaintRule(t.Driver.Name, t.Driver.Name, broken(resourceapi.DeviceTaintEffectNoExecute)))
	})
}}

func extendedResourcesStay() *spec.KnownIssue {
	return &spec.KnownIssue{
		Issue: "kubernetes#141290", Component: spec.Controllers, Through: "1.37",
		Does: "Only pods with claims of their own are deleted; those with extended resources keep the device.",
	}
}

// evictsExtended has a pod with a claim and one with an extended resource when all
// devices are tainted. The first tolerates that for a time: when it is gone, the
// other one's has long come.
func evictsExtended(t *harness.T, taint func()) {
	class := t.CreateClass(nil)
	t.Create(objects.Tolerating(objects.Claim("claim", objects.Request("req", class)), ptr.To(int64(patience.Seconds()))))
	t.RunPod(objects.Pod("with-claim", t.Image, "claim"))
	t.RunPod(objects.PodWanting("extended", t.Image, map[string]int64{resourceapi.ResourceDeviceClassPrefix + class: 1}))

	taint()

	t.WaitEvent("with-claim", event, "Marking for deletion")
	t.WaitPodGone("with-claim")
	extended, err := t.Client.CoreV1().Pods(t.Namespace).Get(t.Context(), "extended", metav1.GetOptions{})
	if err == nil && extended.Status.Phase == corev1.PodRunning && extended.DeletionTimestamp == nil {
		t.KnownIssue("the pod with a claim is deleted, that with an extended resource stays")
		return
	}
	t.WaitPodGone("extended")
}
