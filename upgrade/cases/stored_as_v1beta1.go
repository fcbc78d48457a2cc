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

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/uuid"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/upgrade/path"
)

// StoredAsV1beta1 has objects in etcd as written by v1.32 and never updated since: no API server of
// the path stores v1beta1. Each API server version serves pods with such a claim or template.
var StoredAsV1beta1 = Case{
	Meta: spec.Meta{
		ID:       "upgrade/stored-as-v1beta1",
		Checks:   "Claims and templates stored in etcd as v1beta1 are read unchanged in all versions after every step.",
		Requires: []spec.RequirementID{"kep-4381/v1beta1-objects-readable"},
		Needs:    spec.Needs{Profile: profiles.TwoDevices(), APIs: []string{"v1beta2"}},
	},
	Etcd: true,
	Before: func(t *harness.T, n *Notes) {
		createClassWithAll(t)
		store(t, "ResourceClaim", "resourceclaims", "unused", claimSpec(t, "v1beta1"))
		store(t, "ResourceClaimTemplate", "resourceclaimtemplates", "template", templateSpec(t, "v1beta1"))
		expectStored(t)
		useStored(t, n)
	},
	After: func(t *harness.T, _ *Notes, _ path.Step) { expectStored(t) },
	Anew: func(t *harness.T, n *Notes, step path.Step) {
		if step.Changes(path.APIServer) {
			useStored(t, n)
		}
	},
	Gone: func(t *harness.T, _ *Notes) {
		deleteClaim(t, "unused")
		t.WaitClaimGone("unused")
		t.Delete(&resourceapi.ResourceClaimTemplate{ObjectMeta: metav1.ObjectMeta{Name: "template", Namespace: t.Namespace}})
	},
}

// store writes an object into etcd as v1beta1.
func store(t *harness.T, kind, resource, name string, content object) {
	putStored(t, resource, name, object{
		"apiVersion": "resource.k8s.io/v1beta1", "kind": kind, "spec": content,
		"metadata": object{
			"name": name, "namespace": t.Namespace, "uid": string(uuid.NewUUID()), "generation": 1,
			"creationTimestamp": metav1.Now().UTC().Format("2006-01-02T15:04:05Z"),
		},
	})
}

// expectStored checks the objects not written since.
func expectStored(t *harness.T) {
	claim := sameInAll(t, "resourceclaims", t.Namespace, "unused")
	t.Expect(claim["spec"]).To(gomega.BeComparableTo(written(t, claimSpec(t, "v1"))), "spec of the claim, compared with the stored one")
	t.Expect(claim["metadata"]).To(gomega.HaveKeyWithValue("name", "unused"), "metadata of the claim")
	template := sameInAll(t, "resourceclaimtemplates", t.Namespace, "template")
	t.Expect(template["spec"]).To(gomega.BeComparableTo(written(t, templateSpec(t, "v1"))), "spec of the template, compared with the stored one")
}

// useStored runs a pod with a claim just stored, and one with the template.
func useStored(t *harness.T, n *Notes) {
	n.Round++
	name := fmt.Sprintf("used-%d", n.Round)
	store(t, "ResourceClaim", "resourceclaims", name, claimSpec(t, "v1beta1"))
	t.RunPod(objects.Pod(name, t.Image, name))
	t.Expect(devices(t.Claim(name))).To(gomega.HaveLen(2), "devices of claim %s", name)
	end(t, name)
	pod := t.RunPod(objects.PodFromTemplate(fmt.Sprintf("of-template-%d", n.Round), t.Image, "template"))
	claim := generated(t, pod)
	t.Expect(devices(t.Claim(claim))).To(gomega.HaveLen(2), "devices of claim %s", claim)
	t.RemovePod(pod.Name)
	awaitUnprepared(t, claim)
	t.WaitClaimGone(claim)
}
