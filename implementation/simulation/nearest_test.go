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

package simulation

import (
	"testing"

	resourceapi "k8s.io/api/resource/v1"
)

// The first fitting node was chosen. The scheduler prefers nodes with a local device to nodes with one
// attached from a fabric (KEP-5007), so remaining devices and new nodes differed.
func TestNodeThatHasTheDeviceItselfIsPreferred(t *testing.T) {
	attached := each(func(_ int, d *resourceapi.Device) {
		d.BindingConditions, d.BindingFailureConditions = []string{"example.com/attached"}, []string{"example.com/failed"}
	})
	w := world().withNode(node("a"), slice("a", 1, attached)).withNode(node("b"), slice("b", 1)).withPods(2, one)
	s := w.simulate(t)
	placements, err := s.Place(t.Context(), s.Pending())
	if err != nil {
		t.Fatal(err)
	}
	if got := []string{devicesOf(placements[0]), devicesOf(placements[1])}; got[0] != "b/dev-0 " || got[1] != "a/dev-0 " {
		t.Errorf("the pods get %q", got)
	}
}
