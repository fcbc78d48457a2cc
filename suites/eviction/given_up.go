package eviction

import (
	"time"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/spec"
)

// tolerated is for how many seconds pods tolerate a taint that is to be taken away meanwhile.
const tolerated = 12

// GivenUp takes away in five ways what pods are going to be deleted for.
var GivenUp = harness.Case{Meta: spec.Meta{
	ID: "eviction/given-up",
	Checks: "A pod that tolerates a taint for some seconds is not deleted after those when the taint has gone meanwhile, or is NoSchedule by then, when its ResourceSlice " +
		"has gone, when a slice of a newer generation has the device without a taint, or when the claim was deallocated; one whose device is as it was is deleted.",
	Requires: []spec.RequirementID{"kep-5055/eviction-given-up", "kep-5055/toleration-seconds"},
	Needs:    spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.DeviceTaints}},
	WaitsFor: "The pods tolerate the taint for 12 s, so that there is time to take it away.",
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	pods := []string{"taint-gone", "no-schedule", "slice-gone", "newer-slice", "deallocated"}
	for _, name := range append(pods, "deleted", "at-once") {
		t.Publish(name, t.Nodes[0], named(name))
	}
	for _, name := range append(pods, "deleted") {
		tolerant(t, class, name, forSeconds(tolerated))
	}
	tolerant(t, class, "at-once")
	// The time of the others is over before that of the last one, and they are to be deleted by
	// when it is.
	late, early := broken(resourceapi.DeviceTaintEffectNoExecute), broken(resourceapi.DeviceTaintEffectNoExecute)
	early.TimeAdded = &metav1.Time{Time: time.Now().Add(-2 * time.Second)}
	for _, name := range pods {
		taint(t, name, map[string]resourceapi.DeviceTaint{name: early})
	}
	taint(t, "deleted", map[string]resourceapi.DeviceTaint{"deleted": late})
	taint(t, "at-once", map[string]resourceapi.DeviceTaint{"at-once": late})
	t.WaitEvent("at-once", event, "Marking for deletion") // the controller has heard of all taints

	slice := func(pool string) string { return pool + "-" + t.DriverName() }
	t.ChangeSlice(slice("taint-gone"), func(s *resourceapi.ResourceSlice) { s.Spec.Devices[0].Taints = nil })
	t.ChangeSlice(slice("no-schedule"), func(s *resourceapi.ResourceSlice) {
		s.Spec.Devices[0].Taints[0].Effect = resourceapi.DeviceTaintEffectNoSchedule
	})
	t.Delete(&resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: slice("slice-gone")}})
	newer := t.Slice("newer-slice", t.Nodes[0], named("newer-slice"))
	newer.Name, newer.Spec.Pool.Generation = "newer-"+newer.Name, newer.Spec.Pool.Generation+1
	t.Create(newer)
	t.ChangeClaimStatus("deallocated", func(c *resourceapi.ResourceClaim) { c.Status = resourceapi.ResourceClaimStatus{} })

	t.WaitPodGone("deleted")
	stays(t, pods...)
}}
