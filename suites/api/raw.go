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
	"strings"

	"github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/dra-conformance/dratest/framework/harness"
)

// createRaw creates an object of resource.k8s.io/v1, in JSON, as a dry run with strict field validation: unknown and
// duplicate fields are errors.
func createRaw(t *harness.T, resource, object string) error {
	return of(t, t.Client.ResourceV1().RESTClient().Post(), resource).
		Param("dryRun", metav1.DryRunAll).Param("fieldValidation", metav1.FieldValidationStrict).Body([]byte(object)).Do(t.Context()).Error()
}

// of makes a request for a resource, in the case's namespace if the resource is namespaced.
func of(t *harness.T, request *rest.Request, resource string) *rest.Request {
	return request.Resource(resource).NamespaceIfScoped(t.Namespace, strings.HasPrefix(resource, "resourceclaim"))
}

// notKnown fails the case unless an answer rejects a field as unknown.
func notKnown(t *harness.T, err error, field string) {
	t.Expect(notStrict(err, `unknown field "`+field+`"`)).To(gomega.BeEmpty(), "the object with %s", field)
}

// notStrict returns the problem with the answer to an object invalid for strict decoding, with this in its text;
// empty if none.
func notStrict(err error, text string) string {
	switch {
	case err == nil:
		return "it was accepted"
	case !apierrors.IsBadRequest(err) || !strings.Contains(err.Error(), text):
		return "it should be refused because of " + text + ", and was with: " + err.Error()
	}
	return ""
}

// apply server-side applies an object of resource.k8s.io/v1, in JSON, as a field manager; the subresource is
// optional.
func apply(t *harness.T, resource, name, manager, object string, subresource ...string) {
	t.NoError(tryApply(t, resource, name, manager, object, subresource...), "apply %s %s as %s", resource, name, manager)
}

func tryApply(t *harness.T, resource, name, manager, object string, subresource ...string) error {
	return of(t, t.Client.ResourceV1().RESTClient().Patch(types.ApplyPatchType), resource).Name(name).SubResource(subresource...).
		Param("fieldManager", manager).Param("fieldValidation", metav1.FieldValidationStrict).Body([]byte(object)).Do(t.Context()).Error()
}
