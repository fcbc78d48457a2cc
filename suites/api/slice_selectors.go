package api

import (
	"fmt"
	"slices"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// SliceSelectors lists and watches slices by their fields.
var SliceSelectors = harness.Case{Meta: spec.Meta{
	ID:       "api/slice-selectors",
	Checks:   "Slices are listed and watched by node name, by driver, and by both, without those of other nodes and drivers.",
	Requires: []spec.RequirementID{"kep-4381/slice-field-selectors"},
	Needs:    spec.Needs{NoNode: true},
}, Run: func(t *harness.T) {
	this, other := t.Namespace, t.Namespace+"-other" // nodes and drivers that nobody else has
	for node, name := range []string{this, other} {
		for driver, of := range []string{this, other} {
			s := objects.NetworkSlice(fmt.Sprintf("%s-%d%d", this, node, driver), of, "pool", resourceapi.Device{Name: "device"})
			s.Spec.AllNodes, s.Spec.NodeName = nil, &name
			t.Create(s)
		}
	}
	node, by := resourceapi.ResourceSliceSelectorNodeName+"="+this, resourceapi.ResourceSliceSelectorDriver+"="+this
	selects(t, node, this+"-00", this+"-01")
	selects(t, by, this+"-00", this+"-10")
	selects(t, node+","+by, this+"-00")

	t.Step("list by a field for which there is no index")
	_, err := t.Client.ResourceV1().ResourceSlices().List(t.Context(), metav1.ListOptions{FieldSelector: "spec.allNodes=true"})
	t.Expect(err).To(gomega.MatchError(gomega.ContainSubstring("field label not supported")), "a selector that is not supported")
}}

// SlicePoolSelector lists and watches slices by the name of their pool.
var SlicePoolSelector = harness.Case{Meta: spec.Meta{
	ID:       "api/slice-pool-selector",
	Checks:   "Slices are listed and watched by the name of their pool, without those of other pools.",
	Requires: []spec.RequirementID{"resource-v1/slice-pool-selector"},
	Needs:    spec.Needs{NoNode: true, Since: "1.37"},
}, Run: func(t *harness.T) {
	for _, suffix := range []string{"-00", "-01", "-10", "-11"} {
		t.Create(objects.NetworkSlice(t.Namespace+suffix, driver, t.Namespace+suffix[:2], resourceapi.Device{Name: "device"}))
	}
	selects(t, resourceapi.ResourceSliceSelectorPoolName+"="+t.Namespace+"-0", t.Namespace+"-00", t.Namespace+"-01")
}}

// selects fails the case unless a list and a watch by these fields tell of exactly these
// slices.
func selects(t *harness.T, fields string, names ...string) {
	t.Step("list and watch slices by %s", fields)
	client := t.Client.ResourceV1().ResourceSlices()
	list, err := client.List(t.Context(), metav1.ListOptions{FieldSelector: fields})
	t.NoError(err, "list slices by %s", fields)
	var listed []string
	for _, s := range list.Items {
		listed = append(listed, s.Name)
	}
	slices.Sort(listed)
	t.Expect(listed).To(gomega.Equal(names), "the slices in the list by %s", fields)

	// The slice that all selectors select is changed last, and so are all others before.
	events, err := client.Watch(t.Context(), metav1.ListOptions{FieldSelector: fields, ResourceVersion: list.ResourceVersion})
	t.NoError(err, "watch slices by %s", fields)
	defer events.Stop()
	for _, suffix := range []string{"-11", "-10", "-01", "-00"} {
		patch := fmt.Appendf(nil, `{"metadata":{"labels":{"changed-for":%q}}}`, name("watch", len(fields)))
		_, err := client.Patch(t.Context(), t.Namespace+suffix, types.MergePatchType, patch, metav1.PatchOptions{})
		t.NoError(err, "change a label of slice %s", t.Namespace+suffix)
	}
	var watched []string
	for event := range events.ResultChan() {
		s, ok := event.Object.(*resourceapi.ResourceSlice)
		if !ok {
			t.Fatalf("watch slices by %s: %s %v", fields, event.Type, event.Object)
		}
		watched = append(watched, s.Name)
		if s.Name == t.Namespace+"-00" {
			slices.Sort(watched)
			t.Expect(watched).To(gomega.Equal(names), "the slices in the watch by %s", fields)
			return
		}
	}
	t.Fatalf("the watch of slices by %s ended before it had told of slice %s, after %v", fields, t.Namespace+"-00", watched)
}
