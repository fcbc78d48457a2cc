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
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/classicdra"
	"github.com/dra-conformance/dratest/framework/spec"
)

// ParametersChanged changes a claim's parameters between two pods and restarts the driver, so that it cannot have
// them in memory.
var ParametersChanged = harness.Case{Meta: spec.Meta{
	ID:       "classic/parameters-changed",
	Checks:   "Changed or deleted parameters do not affect an allocated claim; its next allocation uses the current ones.",
	Requires: []spec.RequirementID{"article-126/parameters-in-objects", "kep-3063/attributes-passed-on", "kep-3063/attributes-suffice-to-free", "kep-3063/user-claim-reused"},
	Needs:    needs(1),
}, Run: func(t *harness.T) {
	c := classicdra.Start(t)
	d := c.Driver(classicdra.DriverConfig{Devices: 1})
	t.Create(claim("claim", d.Class("", nil), parameters(t, "parameters", map[string]string{"a": "first", "userLimit": "2"})), c.Pod("one", "claim"))
	t.WaitScheduled("one")
	before := t.Claim("claim")
	with := func(value string) func(*classicdra.ClassicClaim) bool {
		return func(r *classicdra.ClassicClaim) bool {
			return r != nil && r.Phase == allocated && r.Handle == `{"device":"`+device(before)+`","environment":{"user_a":"`+value+`"}}`
		}
	}
	c.WaitClassicClaim("claim", "allocated with the parameters", with("first"))

	// For a driver this counts as a change, and the cases have the permission for it.
	t.Step("replace the parameters by others, then delete these")
	remove := func() {
		t.Delete(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: t.Namespace, Name: "parameters"}})
		_, err := t.Client.CoreV1().ConfigMaps(t.Namespace).Get(t.Context(), "parameters", metav1.GetOptions{})
		t.Expect(apierrors.IsNotFound(err)).To(gomega.BeTrue(), "nothing keeps the parameters from being deleted: %v", err)
	}
	remove()
	parameters(t, "parameters", map[string]string{"a": "second", "userLimit": "1"})
	d.Begin(nil)
	t.Create(c.Pod("two", "claim"))
	t.WaitScheduled("two")
	c.WaitClassicClaim("claim", "as it was allocated", with("first"))
	remove()
	t.Expect(t.Claim("claim").Status.Allocation).To(gomega.Equal(before.Status.Allocation), "the allocation")

	t.RemovePod("one")
	t.RemovePod("two")
	t.WaitDeallocated("claim")
	c.WaitClassicClaim("claim", "gone", func(r *classicdra.ClassicClaim) bool { return r == nil })
	t.Expect(d.Held()).To(gomega.BeEmpty(), "devices allocated to claims after the pods")
	parameters(t, "parameters", map[string]string{"a": "third"})
	t.Create(c.Pod("three", "claim"))
	t.WaitScheduled("three")
	c.WaitClassicClaim("claim", "allocated with the new parameters", with("third"))
}}
