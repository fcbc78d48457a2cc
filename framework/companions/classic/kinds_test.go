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

package classic

import (
	"bytes"
	"slices"
	"testing"

	"github.com/dra-conformance/dratest/framework/soak/load"
)

// A driver's own devices must match no device of a slice, and the claims' parameter objects must exist.
func TestLoadObjects(t *testing.T) {
	names, kinds := load.Names{Driver: "soak.example.org", Image: "busybox"}, loadKinds()
	classes := names.Classes(kinds)
	if len(classes) != 1 || classes[0].Name != "soak.example.org-classic" || len(classes[0].Spec.Selectors) != 1 || classes[0].Spec.Selectors[0].CEL.Expression != "false" {
		t.Errorf("classes %+v", classes)
	}
	if raw := classes[0].Spec.Config[0].Opaque.Parameters.Raw; !bytes.Contains(raw, []byte(`"resourceClassName":"soak"`)) {
		t.Errorf("configuration of the class: %s", raw)
	}
	var refers, templates []string
	for _, p := range parameters() {
		refers = append(refers, p.Name)
	}
	if !slices.Equal(refers, []string{"shared", "optional", "slow", "failing"}) {
		t.Errorf("parameters %q", refers)
	}
	for _, template := range names.Templates(kinds) {
		templates = append(templates, template.Name)
	}
	if !slices.Equal(templates, []string{"delayed-0", "pair-0", "immediate-0", "optional-0", "slow-0", "failing-0"}) {
		t.Errorf("templates %q", templates)
	}
	g := load.NewHeld(1, kinds)
	for range kinds {
		u := g.Next()
		claims, pods := names.Claims(u), names.Pods(u)
		shared := u.Kind.Name == "shared" || u.Kind.Name == "one-at-a-time"
		if shared != (len(claims) == 1) || shared != (len(pods) == 2) {
			t.Errorf("%s: %d claims of its own, %d pods", u.Kind.Name, len(claims), len(pods))
		}
		if want := map[bool]int{true: 2, false: 1}[u.Kind.Name == "pair"]; len(pods[0].Spec.ResourceClaims) != want {
			t.Errorf("%s: pod has claims %v", u.Kind.Name, pods[0].Spec.ResourceClaims)
		}
	}
}
