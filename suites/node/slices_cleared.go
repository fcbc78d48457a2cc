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
	"context"
	"fmt"
	"time"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/kubelet"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// SlicesCleared leaves slices of absent drivers behind and restarts the kubelet. Slices of other
// nodes and of all nodes stay.
var SlicesCleared = harness.Case{Meta: spec.Meta{
	ID:            "node/slices-cleared",
	Checks:        "A starting kubelet deletes all ResourceSlices of its node, and running drivers publish theirs again.",
	Requires:      []spec.RequirementID{"kep-4381/slices-cleared-at-kubelet-start"},
	Needs:         spec.Needs{Profile: profiles.OneDevice(), Nodes: 2, Disruption: true},
	SerialBecause: restartsKubelet,
	Timeout:       4 * time.Minute,
}, Run: func(t *harness.T) {
	restarted, other := t.Nodes[0], t.Nodes[1]
	slice := func(suffix, node string) *resourceapi.ResourceSlice {
		s := objects.NetworkSlice(t.Namespace+suffix, "gone."+t.DriverName(), t.Namespace+suffix, resourceapi.Device{Name: "device"})
		if node != "" {
			s.Spec.AllNodes, s.Spec.NodeName = nil, &node
		}
		return s
	}
	left, elsewhere, everywhere := slice("-left", restarted), slice("-elsewhere", other), slice("-everywhere", "")
	t.Create(left, elsewhere, everywhere)

	kubelet.Restart(t, restarted)

	slices := t.Client.ResourceV1().ResourceSlices()
	t.Poll("the stale slice of a driver on the node to be deleted", func(ctx context.Context) (bool, string, error) {
		list, err := slices.List(ctx, metav1.ListOptions{FieldSelector: resourceapi.ResourceSliceSelectorDriver + "=" + left.Spec.Driver})
		if err != nil {
			return false, "", err
		}
		for _, s := range list.Items {
			if s.Name == left.Name {
				return false, fmt.Sprintf("%s of %d slices is there", s.Name, len(list.Items)), nil
			}
		}
		return true, fmt.Sprintf("%d slices", len(list.Items)), nil
	})
	simdriver.Of(t).AwaitSlices(len(t.Nodes))
	for _, kept := range []*resourceapi.ResourceSlice{elsewhere, everywhere} {
		now, err := slices.Get(t.Context(), kept.Name, metav1.GetOptions{})
		t.NoError(err, "get a slice of another node")
		t.Expect(now.UID).To(gomega.Equal(kept.UID), "UID of slice %s of another node", kept.Name)
	}
	t.Create(objects.Claim("claim", objects.Request("req", t.CreateClass(nil))))
	t.RunPod(objects.OnlyOn(objects.Pod("pod", t.Image, "claim"), restarted))
}}
