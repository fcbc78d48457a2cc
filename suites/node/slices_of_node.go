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

package node

import (
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// SlicesOfNode reads the driver's published slices.
var SlicesOfNode = harness.Case{Meta: spec.Meta{
	ID:       "node/slices-of-node",
	Checks:   "ResourceSlices of a node are owned by the Node object, and deleted with it.",
	Requires: []spec.RequirementID{"kep-4381/slices-owned-by-node"},
	Needs:    spec.Needs{Profile: profiles.OneDevice(), Devices: 1},
	Catches:  []spec.MutantID{"driver-slices-without-owner"},
}, Run: func(t *harness.T) {
	t.Create(objects.Claim("claim", t.Driver.Request("req")))
	pod := t.RunPod(t.Pod("pod", "claim"))
	result := t.WaitAllocated("claim").Status.Allocation.Devices.Results[0]
	node, err := t.Client.CoreV1().Nodes().Get(t.Context(), pod.Spec.NodeName, metav1.GetOptions{})
	t.NoError(err, "get the pod's node")
	ofNode := fields.Set{resourceapi.ResourceSliceSelectorNodeName: node.Name, resourceapi.ResourceSliceSelectorDriver: result.Driver}

	slices, err := t.Client.ResourceV1().ResourceSlices().List(t.Context(), metav1.ListOptions{FieldSelector: ofNode.String()})

	t.NoError(err, "list the driver's slices of the node")
	t.Expect(slices.Items).NotTo(gomega.BeEmpty(), "slices of driver %s for node %s", result.Driver, node.Name)
	for _, s := range slices.Items {
		owners := map[string]bool{}
		for _, o := range s.OwnerReferences {
			owners[o.Kind+"/"+o.Name+"/"+string(o.UID)] = true
		}
		t.Expect(owners).To(gomega.HaveKey("Node/"+node.Name+"/"+string(node.UID)), "owners of slice %s", s.Name)
	}
}}
