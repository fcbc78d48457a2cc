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

package api

import (
	"encoding/json"

	"github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// ListsAtomic applies lists again with other entries.
var ListsAtomic = harness.Case{Meta: spec.Meta{
	ID:       "api/lists-atomic",
	Checks:   "Devices of a slice and requests, constraints and configuration of a claim are atomic lists.",
	Requires: []spec.RequirementID{"kep-4381/lists-atomic"},
	Needs:    spec.Needs{NoNode: true},
}, Run: func(t *harness.T) {
	slice := func(devices string) string {
		return `{"apiVersion":"resource.k8s.io/v1","kind":"ResourceSlice","metadata":{"name":"` + t.Namespace + `","labels":{"` + spec.LabelManagedBy + `":"` + spec.ManagedBy +
			`"}},"spec":{"driver":"` + driver + `","pool":{"name":"pool","generation":1,"resourceSliceCount":1},"allNodes":true,"devices":[` + devices + `]}}`
	}
	t.Create(objects.NetworkSlice(t.Namespace, driver, "pool"))
	apply(t, "resourceslices", t.Namespace, "first", slice(`{"name":"a","attributes":{"x":{"int":1}}},{"name":"b"}`))
	apply(t, "resourceslices", t.Namespace, "first", slice(`{"name":"a"},{"name":"c"}`))
	stored, err := t.Client.ResourceV1().ResourceSlices().Get(t.Context(), t.Namespace, metav1.GetOptions{})
	t.NoError(err, "get the slice")
	var names []string
	for _, d := range stored.Spec.Devices {
		names = append(names, d.Name)
	}
	t.Expect(names).To(gomega.Equal([]string{"a", "c"}), "the devices after they were applied anew")
	t.Expect(stored.Spec.Devices[0].Attributes).To(gomega.BeEmpty(), "the attributes that were not reapplied")

	t.Step("apply another device as another manager")
	err = tryApply(t, "resourceslices", t.Namespace, "second", slice(`{"name":"d"}`))
	t.Expect(apierrors.IsConflict(err)).To(gomega.BeTrue(), "a conflict: %v", err)
	t.Expect(apierrors.HasStatusCause(err, metav1.CauseTypeFieldManagerConflict)).To(gomega.BeTrue(), "a conflict of managers: %v", err)
	t.Expect(err).To(gomega.MatchError(gomega.ContainSubstring(".spec.devices")), "the field of the conflict")

	apply(t, "resourceclaims", "claim", "first", `{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"claim"},"spec":{"devices":{`+
		`"requests":[{"name":"req","exactly":{"deviceClassName":"class","selectors":[{"cel":{"expression":"true"}}]}}],"constraints":[{"matchAttribute":"a.b/c"}],`+
		`"config":[{"opaque":{"driver":"`+driver+`","parameters":{"a":"b"}}}]}}}`)
	claim, err := t.Client.ResourceV1().ResourceClaims(t.Namespace).Get(t.Context(), "claim", metav1.GetOptions{})
	t.NoError(err, "get the claim")
	t.Expect(owned(t, claim.ManagedFields, "first")).To(gomega.Equal(map[string]any{"f:requests": map[string]any{}, "f:constraints": map[string]any{}, "f:config": map[string]any{}}),
		"the fields below spec.devices owned by the manager")
}}

// owned returns the fields below spec.devices owned by a manager.
func owned(t *harness.T, managed []metav1.ManagedFieldsEntry, manager string) map[string]any {
	for _, entry := range managed {
		if entry.Manager != manager {
			continue
		}
		var fields struct {
			Spec struct {
				Devices map[string]any `json:"f:devices"`
			} `json:"f:spec"`
		}
		t.NoError(json.Unmarshal(entry.FieldsV1.GetRawBytes(), &fields), "read the fields of manager %s", manager)
		delete(fields.Spec.Devices, ".")
		return fields.Spec.Devices
	}
	return nil
}
