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

package fabricplan_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/implementation/fabricplan"
)

// Caches and fabrics list objects in any order. A plan depending on it wrote in a changing order,
// and moved taints between two pools publishing the same device.
func TestPlansDoNotDependOnTheOrderOfWhatIsSeen(t *testing.T) {
	inventory := fabricplan.Inventory{
		Models: []fabricplan.Model{{Name: "a100", Free: 300}, {Name: "h100", Free: 1}, {Name: "b200", Free: 2}},
		Devices: []fabricplan.Device{
			{ID: "a100-1", Model: "a100", Phase: fabricplan.DeviceAttached, Node: node, Key: "k1"},
			{ID: "a100-2", Model: "a100", Phase: fabricplan.DeviceAttached, Node: "before", Key: "k2"},
			{ID: "a100-3", Model: "a100", Phase: fabricplan.DeviceDead, Node: node, Key: "k3"},
		},
	}
	before := local("a100-1", "a100-2")
	before.Name, before.Spec.NodeName, before.Spec.Pool.Name = "a-before", new("before"), "before"
	published := []*resourceapi.ResourceSlice{local("a100-1", "a100-2", "a100-3"), before}
	var c cluster
	c.do(fabricplan.PlanPools(fabricplan.PoolsView{Config: config(false), Inventory: inventory}))
	published = append(published, c.slices...)
	rules := []*resourceapi.DeviceTaintRule{}
	for _, id := range []string{"gone-1", "gone-2"} {
		rules = append(rules, &resourceapi.DeviceTaintRule{ObjectMeta: metav1.ObjectMeta{Name: "rule-" + id},
			Spec: resourceapi.DeviceTaintRuleSpec{DeviceSelector: &resourceapi.DeviceTaintSelector{Driver: new(driver), Device: new(id)}}})
	}
	inventory.Models[0].Free, inventory.Models[2].Free = 100, 3
	idle := map[string]time.Time{"a100-1": start().Add(-time.Hour), "a100-2": start().Add(-time.Hour), "a100-3": start().Add(-time.Hour)}
	plans := func() []fabricplan.Action {
		pools := fabricplan.PlanPools(fabricplan.PoolsView{Config: config(false), Inventory: inventory, Slices: published})
		detach, _ := fabricplan.PlanDetach(fabricplan.DetachView{Config: config(false), Inventory: inventory, Slices: published, Rules: rules, Idle: idle, Now: start()})
		return slices.Concat(pools, detach)
	}
	want := plans()
	var cordoned []string
	for _, action := range want {
		if cordon, ok := action.(fabricplan.Cordon); ok {
			s := cordon.Rule.Spec.DeviceSelector
			cordoned = append(cordoned, *s.Pool+"/"+*s.Device)
		}
	}
	if diff := cmp.Diff([]string{node + "/a100-1", "before/a100-2", node + "/a100-3"}, cordoned); diff != "" {
		t.Error(diff)
	}
	shuffled := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		shuffle(shuffled, inventory.Models)
		shuffle(shuffled, inventory.Devices)
		shuffle(shuffled, published)
		shuffle(shuffled, rules)
		if diff := cmp.Diff(want, plans()); diff != "" {
			t.Fatal(diff)
		}
	}
}

func shuffle[E any](r *rand.Rand, s []E) {
	r.Shuffle(len(s), func(i, j int) { s[i], s[j] = s[j], s[i] })
}
