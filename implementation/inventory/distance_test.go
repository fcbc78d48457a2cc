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

package inventory

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	resourceapi "k8s.io/api/resource/v1"
)

func attachedFrom(fabric string) func(*resourceapi.Device) {
	return func(d *resourceapi.Device) {
		d.Attributes = map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{FabricAttribute: {StringValue: &fabric}}
	}
}

// One pool may contain all three distances. The selection of a device does not affect others.
func TestNearDevicesComeFirst(t *testing.T) {
	unattached := func(d *resourceapi.Device) { d.BindingConditions = []string{"attached"} }
	elsewhere := func(d *resourceapi.Device) { attachedFrom("f")(d); d.NodeName = new("n2") }
	everywhere := func(d *resourceapi.Device) { d.AllNodes = new(true) }
	for _, tc := range []struct {
		name  string
		given published
		want  []string
		far   string // an unreachable device
	}{
		{"by distance", published{
			slice("s1", "p1", device("free", unattached)),
			slice("s2", "p2", device("here-0", attachedFrom("f")), devices("local-0"), device("here-1", attachedFrom("f")), devices("local-1")),
		}, []string{"local-0", "local-1", "here-0", "here-1", "free"}, ""},
		{"as published without any that are attached", published{
			slice("s1", "p1", device("free", unattached), devices("local-0")), slice("s2", "p2", devices("local-1")),
		}, []string{"local-1", "free", "local-0"}, ""},
		{"selected one by one", published{
			slice("s1", "p1", perDevice(), device("here", elsewhere), device("local", everywhere)),
		}, []string{"local", "here"}, "here"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			n := mustNode(t, inventoryOf(tc.given...), node("n1"))
			var got []string
			for i, d := range n.Devices {
				got = append(got, d.ID.Device)
				if n.Pools[n.PoolOf[i]].ID.Pool != d.ID.Pool {
					t.Errorf("device %s has pool %s", d.ID, n.Pools[n.PoolOf[i]].ID)
				}
				if reachable, err := n.Reachable(i); err != nil || reachable != (d.ID.Device != tc.far) {
					t.Errorf("device %s: reachable %t, %v", d.ID, reachable, err)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
