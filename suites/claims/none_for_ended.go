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

package claims

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/edit"
	"github.com/dra-conformance/dratest/framework/issues"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// NoneForEnded changes a terminated pod that lost its claim. A restart of the controller has the same effect.
var NoneForEnded = harness.Case{Meta: spec.Meta{
	ID:         "claims/none-for-ended",
	Checks:     "No claim is created for a pod that has ended.",
	Requires:   []spec.RequirementID{"kep-4381/ended-pods-need-nothing"},
	Needs:      spec.Needs{NoKubelet: true},
	KnownIssue: issues.Known("kubernetes#141274"),
}, Run: func(t *harness.T) {
	class := devices(t, t.Nodes[0], 1)
	t.Create(objects.Template("template", objects.Claim("", objects.Request("req", class))))
	ended := heldFromTemplate(t, "ended", "template")
	first := generated(t, "ended")
	edit.PodStatus(t, "ended", func(p *corev1.Pod) { p.Status.Phase = corev1.PodSucceeded })
	t.WaitClaimGone(first.Name)
	touch(t, "ended")

	// The controller creates claims for younger pods, so it has processed the change by then.
	for i := range 5 {
		younger := fmt.Sprintf("younger-%d", i)
		heldFromTemplate(t, younger, "template")
		generated(t, younger)
		t.Get(ended)
		if again := generatedName(ended); again != "" && again != first.Name {
			t.KnownIssue("expected no claim for terminated pod \"ended\" after deletion of its claim %s, got %s", first.Name, again)
			return
		}
	}
}}
