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
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/spec"
)

// libraryDelay is the plugin library's delay before recreating deleted slices
// (k8s.io/dynamic-resource-allocation v0.37.1, resourceslice).
const libraryDelay = 30 * time.Second

// slicesComeBack is about: kubernetes-sigs/dra-driver-nvidia-gpu#330.
var slicesComeBack = Check{Meta: spec.Meta{
	ID:       "sanity/slices-come-back",
	Checks:   "The driver publishes its ResourceSlices again after a starting kubelet has deleted them.",
	Requires: []spec.RequirementID{"kep-4381/driver-publishes-own-slices"},
	WaitsFor: "The library of drivers publishes deleted slices again after 30 s (k8s.io/dynamic-resource-allocation v0.37.1 resourceslice).",
}, Source: "kubernetes-sigs/dra-driver-nvidia-gpu#330", Once: true, Run: func(t *T) {
	if t.Restart == nil {
		t.NotApplicablef("takes the driver's devices from the node for half a minute: only where it may be restarted, too (--restart)")
	}
	t.Devices(1)
	published, err := t.published(t.ctx)
	t.need(err, "look for slices")
	for _, s := range published {
		t.need(gone(t.Client.ResourceV1().ResourceSlices().Delete(t.ctx, s.Name, metav1.DeleteOptions{})), "delete a slice")
	}
	limit := t.PublishTimeout + libraryDelay
	if !t.awaitFor(limit, func(ctx context.Context) bool {
		some, complete, err := t.look(ctx)
		return some && complete && err == nil
	}) {
		t.Failf("the driver has not published its devices again %s after the slices were deleted", limit)
	}
}}
