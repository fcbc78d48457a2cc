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

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Kinds reads the API server's kinds from discovery.
var Kinds = harness.Case{Meta: spec.Meta{
	ID:       "api/kinds",
	Checks:   "The API server serves claims, templates, classes and slices with all verbs and without CRDs.",
	Requires: []spec.RequirementID{"kep-4381/built-in-types", "kep-4381/claim-namespaced-class-not"},
	Needs:    spec.Needs{NoNode: true},
}, Run: func(t *harness.T) {
	served, err := t.Client.Discovery().ServerResourcesForGroupVersion(group + "/v1")
	t.NoError(err, "ask for the resources of %s/v1", group)
	kinds, verbs := map[string]bool{}, map[string][]string{}
	for _, r := range served.APIResources {
		kinds[r.Name+" "+r.Kind], verbs[r.Name] = r.Namespaced, r.Verbs
	}
	for what, namespaced := range map[string]bool{
		"resourceclaims ResourceClaim": true, "resourceclaims/status ResourceClaim": true, "resourceclaimtemplates ResourceClaimTemplate": true,
		"deviceclasses DeviceClass": false, "resourceslices ResourceSlice": false,
	} {
		t.Expect(kinds).To(gomega.HaveKeyWithValue(what, namespaced), "whether it belongs to a namespace")
	}
	for _, resource := range []string{"resourceclaims", "resourceclaimtemplates", "deviceclasses", "resourceslices"} {
		t.Expect(verbs[resource]).To(gomega.ContainElements("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"), "the verbs of %s", resource)
	}

	body, err := t.Client.Discovery().RESTClient().Get().AbsPath("/apis/apiextensions.k8s.io/v1/customresourcedefinitions").Do(t.Context()).Raw()
	t.NoError(err, "list CustomResourceDefinitions")
	var definitions struct {
		Items []struct {
			Spec struct {
				Group string `json:"group"`
			} `json:"spec"`
		} `json:"items"`
	}
	t.NoError(json.Unmarshal(body, &definitions), "read the list of CustomResourceDefinitions")
	for _, d := range definitions.Items {
		t.Expect(d.Spec.Group).NotTo(gomega.Equal(group), "the group of a CustomResourceDefinition")
	}
}}
