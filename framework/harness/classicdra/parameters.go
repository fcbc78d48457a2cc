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

package classicdra

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
)

// Kind is a kind of parameter objects of a driver.
type Kind struct {
	// Kind is its name, in ParametersGroup.
	Kind string

	plural string
	c      *DRA
}

// Kind returns a kind unique for the case. Define defines it.
func (c *DRA) Kind() Kind {
	suffix := strings.TrimPrefix(c.t.Namespace, harness.NamespacePrefix)
	return Kind{Kind: "Parameters" + suffix, plural: "parameters" + suffix, c: c}
}

// Define creates a CustomResourceDefinition with these fields in the spec, each with its schema,
// and waits until the kind is served.
func (k Kind) Define(fields map[string]any) {
	ginkgo.GinkgoHelper()
	ofSpec := map[string]any{"type": "object", "properties": fields}
	definition := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": harness.CustomResourceDefinition,
		"spec": map[string]any{
			"group": ParametersGroup, "scope": "Namespaced",
			"names": map[string]any{"kind": k.Kind, "plural": k.plural, "singular": k.plural},
			"versions": []any{map[string]any{"name": Version, "served": true, "storage": true, "schema": map[string]any{
				"openAPIV3Schema": map[string]any{"type": "object", "properties": map[string]any{"spec": ofSpec}}}}},
		},
	}}
	definition.SetName(k.plural + "." + ParametersGroup)
	t := k.c.t
	t.Create(definition)
	t.Poll("kind "+k.Kind+" to be served", func(context.Context) (bool, string, error) {
		served, err := t.Client.Discovery().ServerResourcesForGroupVersion(ParametersGroup + "/" + Version)
		if apierrors.IsNotFound(err) {
			return false, "its group is not served", nil
		}
		if err != nil {
			return false, "", err
		}
		i := slices.IndexFunc(served.APIResources, func(r metav1.APIResource) bool { return r.Name == k.plural })
		return i >= 0, fmt.Sprintf("%d resources in its group", len(served.APIResources)), nil
	})
}

// MayRead lets the case's drivers read objects of the kind, as a vendor does in the driver's role.
func (k Kind) MayRead() {
	ginkgo.GinkgoHelper()
	t := k.c.t
	t.Grant(t.Namespace+"-classic-parameters", rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Name: classicUser, Namespace: t.Namespace},
		objects.Rule(ParametersGroup, k.plural, "get"))
}

// Object is an object of the kind.
func (k Kind) Object(name string, fields map[string]any) *unstructured.Unstructured {
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": ParametersGroup + "/" + Version, "kind": k.Kind, "spec": fields,
	}}
	object.SetName(name)
	return object
}
