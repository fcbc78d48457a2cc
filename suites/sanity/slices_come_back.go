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

package sanity

import (
	"context"
	"maps"
	"slices"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/spec"
)

// libraryDelay is the plugin library's delay before recreating deleted slices
// (k8s.io/dynamic-resource-allocation v0.37.1, resourceslice).
const libraryDelay = 30 * time.Second

// slicesComeBack is about: kubernetes-sigs/dra-driver-nvidia-gpu#330, kubernetes/kubernetes#132683, #140011. The plugin
// library before v0.37 has the last one: it misses the deletion of a slice in the minute after its own update.
var slicesComeBack = Check{Meta: spec.Meta{
	ID:       "sanity/slices-come-back",
	Checks:   "The driver publishes its ResourceSlices again after a starting kubelet has deleted them, also if it has updated them.",
	Requires: []spec.RequirementID{"kep-4381/driver-publishes-own-slices"},
	WaitsFor: "The library of drivers repairs changed and deleted slices after 30 s each (k8s.io/dynamic-resource-allocation v0.37.1 resourceslice).",
}, Source: "kubernetes-sigs/dra-driver-nvidia-gpu#330, kubernetes/kubernetes#140011, kubernetes/kubernetes#132683", Once: true, Run: func(t *T) {
	if t.Restart == nil {
		t.NotApplicablef("takes the driver's devices from the node for half a minute: only where it may be restarted, too (--restart)")
	}
	t.Devices(1)
	limit := t.PublishTimeout + t.RepairDelay
	t.timer.Reset(t.limit() + 3*limit)
	// Drivers have a cache of what they wrote, so they have to write first.
	edited := t.edited()
	if edited {
		t.awaitFor(limit, func(ctx context.Context) bool {
			published, err := t.published(ctx)
			return err == nil && !slices.ContainsFunc(published, isEdited)
		})
	}
	published, err := t.published(t.ctx)
	t.need(err, "look for slices")
	if len(published) > 0 && published[0].Spec.NodeName == nil {
		t.NotApplicablef("the driver's slices belong to no node: a starting kubelet deletes none of them")
	}
	if t.comeBack(published, limit) {
		return
	}
	why := ""
	// The driver gets its devices back, too.
	if edited && t.publishedLike(published) && t.comeBack(published, limit) {
		why = "; deleted later, they came back: kubernetes/kubernetes#140011, an issue of the plugin library before v0.37"
	}
	t.Failf("the driver has not published its devices again %s after the slices were deleted%s", limit, why)
}}

// comeBack deletes slices and waits for the driver to publish its devices again.
func (t *T) comeBack(published []resourceapi.ResourceSlice, limit time.Duration) bool {
	for _, s := range published {
		t.need(gone(t.Client.ResourceV1().ResourceSlices().Delete(t.ctx, s.Name, metav1.DeleteOptions{})), "delete a slice")
	}
	return t.awaitFor(limit, func(ctx context.Context) bool {
		some, complete, err := t.look(ctx)
		return some && complete && err == nil
	})
}

// publishedLike creates deleted slices again, and reports whether all of them were missing.
func (t *T) publishedLike(deleted []resourceapi.ResourceSlice) bool {
	for _, s := range deleted {
		again := &resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: s.Name, OwnerReferences: s.OwnerReferences}, Spec: s.Spec}
		if _, err := t.Client.ResourceV1().ResourceSlices().Create(t.ctx, again, metav1.CreateOptions{}); err != nil {
			return false
		}
	}
	return true
}

// edit is an attribute unknown to all drivers.
const edit = "dratest.invalid/edited"

// edited adds the attribute to a device of each slice, for the driver to remove it. It returns false if
// the API server allows no change.
func (t *T) edited() (changed bool) {
	published, err := t.published(t.ctx)
	t.need(err, "look for slices")
	for _, s := range published {
		if len(s.Spec.Devices) == 0 {
			continue
		}
		attributes := maps.Clone(s.Spec.Devices[0].Attributes)
		if attributes == nil {
			attributes = map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{}
		}
		attributes[edit] = resourceapi.DeviceAttribute{BoolValue: ptr.To(true)}
		s.Spec.Devices[0].Attributes = attributes
		_, err := t.Client.ResourceV1().ResourceSlices().Update(t.ctx, &s, metav1.UpdateOptions{})
		changed = changed || err == nil
	}
	return changed
}

func isEdited(s resourceapi.ResourceSlice) bool {
	return slices.ContainsFunc(s.Spec.Devices, func(d resourceapi.Device) bool { _, ok := d.Attributes[edit]; return ok })
}
