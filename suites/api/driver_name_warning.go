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
	"strings"

	"github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/spec"
)

// DriverNameWarning writes slices of drivers with and without capitals in their names.
var DriverNameWarning = harness.Case{Meta: spec.Meta{
	ID:       "api/driver-name-warning",
	Checks:   "Writing a slice whose driver name has capitals returns a warning, and other writes do not.",
	Requires: []spec.RequirementID{"resource-v1/driver-name-capitals-warned"},
	Needs:    spec.Needs{NoNode: true, Since: "1.35"},
}, Run: func(t *harness.T) {
	client := t.Client.ResourceV1().RESTClient()
	warnings := func(what string, request *rest.Request, body any) []string {
		text, err := json.Marshal(body)
		t.NoError(err, "write the slice")
		result := request.Resource("resourceslices").Param("dryRun", metav1.DryRunAll).Body(text).Do(t.Context())
		t.NoError(result.Error(), "%s", what)
		var all []string
		for _, w := range result.Warnings() {
			if strings.Contains(w.Text, "spec.driver") { // a cluster's policies may have others
				all = append(all, w.Text)
			}
		}
		return all
	}
	small, capital := onlyOn(t, validSlice()), onlyOn(t, validSlice())
	small.Name, capital.Name = t.Namespace+"-small", t.Namespace+"-capital"
	capital.Spec.Driver = "API.dra-conformance.github.io"
	reported := gomega.ConsistOf(gomega.ContainSubstring("lowercase"))
	t.Expect(warnings("create a slice", client.Post(), small)).To(gomega.BeEmpty(), "warnings for the name of a driver without capitals")
	t.Expect(warnings("create a slice", client.Post(), capital)).To(reported, "warnings for the name of a driver with capitals")

	t.Create(small, capital)
	patch := map[string]any{"metadata": map[string]any{"labels": map[string]string{"changed": "true"}}}
	change := func(name string) []string {
		return warnings("change a slice", client.Patch("application/merge-patch+json").Name(name), patch)
	}
	t.Expect(change(small.Name)).To(gomega.BeEmpty(), "warnings for a change of the slice of a driver without capitals")
	t.Expect(change(capital.Name)).To(reported, "warnings for a change of the slice of a driver with capitals")
}}
