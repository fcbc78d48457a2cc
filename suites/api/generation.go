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
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Generation changes specs and labels of slices and classes.
var Generation = harness.Case{Meta: spec.Meta{
	ID:       "api/generation",
	Checks:   "The generation of a slice and a class starts at 1 and rises with each change of the spec only.",
	Requires: []spec.RequirementID{"kep-4381/generation-follows-spec"},
	Needs:    spec.Needs{NoNode: true},
}, Run: func(t *harness.T) {
	t.Create(objects.NetworkSlice(t.Namespace, driver, "pool", resourceapi.Device{Name: "device"}), objects.Class(t.Namespace, driver))
	slices, classes := t.Client.ResourceV1().ResourceSlices(), t.Client.ResourceV1().DeviceClasses()
	slice, err := slices.Get(t.Context(), t.Namespace, metav1.GetOptions{})
	t.NoError(err, "get the slice")
	class, err := classes.Get(t.Context(), t.Namespace, metav1.GetOptions{})
	t.NoError(err, "get the class")
	t.Expect([]int64{slice.Generation, class.Generation}).To(gomega.Equal([]int64{1, 1}), "the generations in the beginning")

	t.Step("change a label of each")
	slice.Labels["changed"], class.Labels["changed"] = "true", "true"
	slice, err = slices.Update(t.Context(), slice, metav1.UpdateOptions{})
	t.NoError(err, "change a label of the slice")
	class, err = classes.Update(t.Context(), class, metav1.UpdateOptions{})
	t.NoError(err, "change a label of the class")
	t.Expect([]int64{slice.Generation, class.Generation}).To(gomega.Equal([]int64{1, 1}), "the generations after a change of labels")

	t.Step("change the spec of each, and set a generation with it")
	slice.Spec.Devices[0].Name, slice.Generation = "other", 7
	class.Spec.Selectors, class.Generation = nil, 7
	slice, err = slices.Update(t.Context(), slice, metav1.UpdateOptions{})
	t.NoError(err, "change the spec of the slice")
	class, err = classes.Update(t.Context(), class, metav1.UpdateOptions{})
	t.NoError(err, "change the spec of the class")
	t.Expect([]int64{slice.Generation, class.Generation}).To(gomega.Equal([]int64{2, 2}), "the generations after a change of the spec")
}}
