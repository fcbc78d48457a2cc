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
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/classicdra"
	"github.com/dra-conformance/dratest/framework/spec"
)

// ParametersMissing creates the parameters of the class first, and those of the claim later.
var ParametersMissing = harness.Case{Meta: spec.Meta{
	ID:     "classic/parameters-missing",
	Checks: "A claim with missing parameters is not allocated and an event names them; later it gets class and claim parameters.",
	Requires: []spec.RequirementID{"article-126/parameters-in-objects", "kep-3063/class-parameters-apart", "kep-3063/parameters-checked-by-driver", "kep-3063/failed-steps-retried",
		"kep-3063/attributes-passed-on", "kep-3063/class-object"},
	Needs: needs(1),
}, Run: func(t *harness.T) {
	c := classicdra.Start(t)
	d := c.Driver(classicdra.DriverConfig{Devices: 1})
	t.Create(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "of-class"}, Data: map[string]string{"a": "class", "userLimit": "3"}})
	class := d.Class("", func(class map[string]any) {
		class["parametersRef"] = map[string]any{"kind": "ConfigMap", "namespace": t.Namespace, "name": "of-class"}
	})
	t.Create(claim("claim", class, refer("of-claim")), c.Pod("pod", "claim"))
	t.WaitEvent("claim", "Failed", `configmaps "of-claim" not found`)
	unallocated(t, "claim")
	t.Create(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "of-claim"}, Data: map[string]string{"a": "claim"}})
	t.WaitScheduled("pod")
	record := c.WaitClassicClaim("claim", "allocated", func(r *classicdra.ClassicClaim) bool { return r != nil && r.Phase == allocated })
	t.Expect(record.Handle).To(gomega.ContainSubstring(`"environment":{"admin_a":"class","user_a":"claim"}`), "data stored by the driver")
	t.Expect(record.UserLimit).To(gomega.BeEquivalentTo(3), "limit of users, as the class has it")
}}
