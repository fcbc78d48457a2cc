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

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/upgrade/path"
)

// MadeAndDeleted creates a pod before each step and deletes it after the step.
var MadeAndDeleted = Case{
	Meta: spec.Meta{
		ID:     "upgrade/made-and-deleted",
		Checks: "Deleting a pod after a step unprepares and deallocates its claim, and the next pod gets the same device.",
		Requires: []spec.RequirementID{"kep-4381/unprepare-after-last", "kep-4381/deallocate-after-last", "kep-4381/prepare-before-start",
			"kep-4381/older-kubelet-works", "kep-4381/pods-across-versions"},
		Needs: spec.Needs{Profile: profiles.OneDevice(), Nodes: 2},
	},
	Before: func(t *harness.T, n *Notes) {
		t.CreateClass(nil)
		makeRound(t, n)
	},
	After: func(t *harness.T, n *Notes, _ path.Step) {
		n.unchanged(t)
		deleteRound(t, n)
	},
	Anew: func(t *harness.T, n *Notes, _ path.Step) { makeRound(t, n) },
	Gone: deleteRound,
}

// makeRound creates a pod with a claim on each node.
func makeRound(t *harness.T, n *Notes) {
	n.Round++
	for _, node := range t.Nodes {
		name := inRound(n, node)
		t.Create(objects.Claim(name, objects.Request("req", t.DriverName())), objects.OnlyOn(objects.Pod(name, t.Image, name), node))
	}
	for _, node := range t.Nodes {
		name := inRound(n, node)
		t.WaitRunning(name)
		n.note(t, name, name)
	}
}

// deleteRound deletes the pods of the last round and waits until their claims are released.
func deleteRound(t *harness.T, n *Notes) {
	for _, node := range t.Nodes {
		name := inRound(n, node)
		t.RemovePod(name)
		awaitUnprepared(t, name)
		t.WaitDeallocated(name)
		t.Delete(&resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: t.Namespace}})
		n.forget(name, name)
	}
}

func inRound(n *Notes, node string) string { return fmt.Sprintf("%s-%d", node, n.Round) }
