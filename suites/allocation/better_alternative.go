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

package allocation

import (
	"fmt"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/scheduler"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// BetterAlternative has nodes with different alternatives.
var BetterAlternative = harness.Case{Meta: spec.Meta{
	ID:       "allocation/better-alternative",
	Checks:   "Pods go to the node that gives the better alternatives.",
	Requires: []spec.RequirementID{"kep-4816/better-alternatives-preferred"},
	// The scores of the nodes differ by 176 points in the first row and by 72 in the others: more than those of about
	// equally loaded nodes.
	Needs:         spec.Needs{NoKubelet: true, Alone: true, Nodes: 2, Since: "1.35", Features: []spec.Feature{spec.PrioritizedList}},
	SerialBecause: "Other cases' pods make the nodes unequal.",
}, Run: func(t *harness.T) {
	const first, second, last = 0, 1, resourceapi.FirstAvailableDeviceRequestMaxSize - 1
	class := t.CreateClass(nil)
	list := func(row, request int) resourceapi.DeviceRequest {
		r := resourceapi.DeviceRequest{Name: fmt.Sprintf("list-%d", request)}
		for i := range resourceapi.FirstAvailableDeviceRequestMaxSize {
			r.FirstAvailable = append(r.FirstAvailable, resourceapi.DeviceSubRequest{
				Name: fmt.Sprintf("alternative-%d", i), DeviceClassName: class,
				Selectors: []resourceapi.DeviceSelector{objects.Selector(fmt.Sprintf("%s == %d && %s == %d && %s == %d",
					t.Attribute("row"), row, t.Attribute("request"), request, t.Attribute("alternative"), i))},
			})
		}
		return r
	}
	rows := []struct {
		what          string
		claims        int
		better, worse []int // alternatives available on a node, by request
	}{
		{"the first alternative and the last", 1, []int{first}, []int{last}},
		{"two requests of a claim, with one first and one last alternative on the worse node", 1, []int{second, second}, []int{first, last}},
		{"these the other way round", 1, []int{second, second}, []int{last, first}},
		{"two claims, with one first and one last alternative on the worse node", 2, []int{second, second}, []int{first, last}},
		{"those the other way round", 2, []int{second, second}, []int{last, first}},
	}
	devices := make(map[string][]resourceapi.Device)
	for row, r := range rows {
		for i, better := range t.Nodes[:2] {
			for node, alternatives := range map[string][]int{better: r.better, t.Nodes[1-i]: r.worse} {
				for request, alternative := range alternatives {
					devices[node] = append(devices[node], device(fmt.Sprintf("row-%d-%d-%d", row, i, request), map[string]any{"row": 2*row + i, "request": request, "alternative": alternative}))
				}
			}
		}
	}
	for _, node := range t.Nodes[:2] {
		t.Publish(node, node, devices[node]...)
	}
	scheduler.AwaitSeen(t)

	// Alternate between the nodes: a scheduler without scoring of alternatives spreads pods over them.
	for i, better := range t.Nodes[:2] {
		for row, r := range rows {
			name := fmt.Sprintf("row-%d-%d", row, i)
			claims := make([]string, r.claims)
			for c := range claims {
				claims[c] = fmt.Sprintf("%s-claim-%d", name, c)
				claim := objects.Claim(claims[c])
				for request := range r.better {
					if request%r.claims == c {
						claim.Spec.Devices.Requests = append(claim.Spec.Devices.Requests, list(2*row+i, request))
					}
				}
				t.Create(claim)
			}
			t.Create(objects.Pod(name, t.Image, claims...))
			t.Expect(t.WaitScheduled(name).Spec.NodeName).To(gomega.Equal(better), "node with the better alternatives: %s", r.what)
		}
	}
}}
