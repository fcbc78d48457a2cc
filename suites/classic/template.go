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
	"context"
	"fmt"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/classicdra"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Template has two pods, each naming a template twice.
var Template = harness.Case{Meta: spec.Meta{
	ID:     "classic/template",
	Checks: "Each template entry of a pod gets its own claim with the template's parameters; claims and resources go with the pod.",
	Requires: []spec.RequirementID{"article-126/template-object", "article-126/four-types", "article-126/workload-claim-each", "article-126/claim-per-entry", "kep-3063/template-creates-claim",
		"kep-3063/template-spec-copied", "kep-3063/deallocated-with-pod", "kep-3063/ephemeral-and-persistent"},
	Needs: needs(2),
}, Run: func(t *harness.T) {
	c := classicdra.Start(t)
	t.Expect(c.Kinds()).To(gomega.ContainElements("ResourceClass", "ClassicClaim", "PodScheduling", "ResourceClaim", "ResourceClaimTemplate"), "kinds served for classic DRA")
	d := c.Driver(classicdra.DriverConfig{Devices: 2})
	t.Create(objects.Template("template", claim("", d.Class("", nil), parameters(t, "parameters", map[string]string{"a": "b"}))))
	nodes := map[string]string{}
	for _, name := range []string{"a", "b"} {
		pod := c.Pod(name)
		for _, entry := range []string{"one", "two"} {
			pod.Spec.ResourceClaims = append(pod.Spec.ResourceClaims, corev1.PodResourceClaim{Name: entry, ResourceClaimTemplateName: ptr.To("template")})
		}
		t.Create(pod)
		scheduled := t.WaitScheduled(name)
		nodes[name] = scheduled.Spec.NodeName
		t.Expect(scheduled.Status.ResourceClaimStatuses).To(gomega.HaveLen(2), "claims of pod %s", name)
		for _, s := range scheduled.Status.ResourceClaimStatuses {
			made := *s.ResourceClaimName
			t.Expect(place(t.Claim(made))).To(gomega.Equal(nodes[name]), "node of the device of claim %s", made)
			t.Expect(reserved(t.Claim(made), name)).To(gomega.BeTrue(), "claim %s is reserved for its pod alone", made)
			c.WaitClassicClaim(made, "with the parameters", func(r *classicdra.ClassicClaim) bool {
				return r != nil && r.Handle == fmt.Sprintf(`{"device":%q,"environment":{"user_a":"b"}}`, device(t.Claim(made)))
			})
		}
	}
	t.Expect(nodes["a"]).NotTo(gomega.Equal(nodes["b"]), "nodes of the two pods, each using a whole node")
	t.Expect(d.Held()).To(gomega.HaveLen(4), "devices allocated to claims")
	t.RemovePod("a")
	t.Poll("the devices of the deleted pod to be released, with its claims", func(ctx context.Context) (bool, string, error) {
		list, err := t.Client.ResourceV1().ResourceClaims(t.Namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, "", err
		}
		return len(d.Held()) == 2 && len(list.Items) == 2, fmt.Sprintf("%d claims, devices %v", len(list.Items), d.Held()), nil
	})
}}

// device is the only device of a claim, with its pool.
func device(c *resourceapi.ResourceClaim) string {
	return place(c) + "/" + c.Status.Allocation.Devices.Results[0].Device
}
