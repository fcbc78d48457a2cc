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
	corev1 "k8s.io/api/core/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/edit"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// EndedPods terminates pods without deleting them.
var EndedPods = harness.Case{Meta: spec.Meta{
	ID:       "claims/ended-pods",
	Checks:   "When its only pod has succeeded or failed, a claim is deallocated; one from a template is deleted.",
	Requires: []spec.RequirementID{"kep-4381/completed-pod-releases"},
	Needs:    spec.Needs{NoKubelet: true},
}, Run: func(t *harness.T) {
	class := devices(t, t.Nodes[0], 1)
	for name, phase := range map[string]corev1.PodPhase{"succeeded": corev1.PodSucceeded, "failed": corev1.PodFailed} {
		t.Create(objects.Template("template-"+name, objects.Claim("", objects.Request("req", class))))
		allocated(t, name, class, objects.Consumer(held(t, name, name)))
		of := heldFromTemplate(t, "of-template-"+name, "template-"+name)
		made := generated(t, of.Name)
		for _, pod := range []string{name, of.Name} {
			edit.PodStatus(t, pod, func(p *corev1.Pod) { p.Status.Phase = phase })
		}
		t.WaitDeallocated(name)
		t.WaitClaimGone(made.Name)
		t.Get(of)

		t.Create(objects.Claim("next-"+name, objects.Request("req", class)), objects.Pod("next-"+name, t.Image, "next-"+name))
		t.WaitScheduled("next-" + name)
		t.RemovePod("next-" + name)
		t.WaitDeallocated("next-" + name)
	}
}}
