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

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/upgrade/path"
)

// TemplateClaims has one pod with a generated claim running through all steps, and others coming
// and going.
var TemplateClaims = Case{
	Meta: spec.Meta{
		ID:       "upgrade/template-claims",
		Checks:   "A generated claim survives every step, and after each step claims are generated and deleted with new pods.",
		Requires: []spec.RequirementID{"kep-4381/template-creates-claim", "kep-4381/template-claim-deleted"},
		Needs:    spec.Needs{Profile: profiles.TwoDevices()},
	},
	Before: func(t *harness.T, n *Notes) {
		class := t.CreateClass(nil)
		t.Create(objects.Template("template", objects.Claim("", objects.Request("req", class))))
		pod := t.RunPod(objects.PodFromTemplate("stays", t.Image, "template"))
		n.note(t, pod.Name, generated(t, pod))
	},
	After: func(t *harness.T, n *Notes, _ path.Step) { n.unchanged(t) },
	Anew: func(t *harness.T, n *Notes, _ path.Step) {
		n.Round++
		pod := t.RunPod(objects.PodFromTemplate(fmt.Sprintf("anew-%d", n.Round), t.Image, "template"))
		claim := generated(t, pod)
		t.RemovePod(pod.Name)
		awaitUnprepared(t, claim)
		t.WaitClaimGone(claim)
	},
	Restored: func(t *harness.T, n *Notes) { n.unchanged(t) },
	Gone: func(t *harness.T, n *Notes) {
		t.RemovePod("stays")
		for claim := range n.Claims {
			awaitUnprepared(t, claim)
			t.WaitClaimGone(claim)
		}
	},
}
