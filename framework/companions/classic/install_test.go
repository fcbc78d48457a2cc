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
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	dynamicfake "k8s.io/client-go/dynamic/fake"

	"github.com/dra-conformance/dratest/framework/harness/classicdra"
	"github.com/dra-conformance/dratest/framework/spec"
)

// A killed case has left its parameter CRD; others' CRDs stay.
func TestKindsOfKilledCasesAreRemoved(t *testing.T) {
	definition := func(name, managedBy string) *unstructured.Unstructured {
		d := &unstructured.Unstructured{}
		d.SetAPIVersion("apiextensions.k8s.io/v1")
		d.SetKind("CustomResourceDefinition")
		d.SetName(name)
		d.SetLabels(map[string]string{spec.LabelManagedBy: managedBy})
		return d
	}
	definitions := schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	client := dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{definitions: "CustomResourceDefinitionList"},
		definition("parametersabcde."+classicdra.ParametersGroup, spec.ManagedBy), definition("mine."+classicdra.ParametersGroup, "Helm"), definition("gadgets.example.com", spec.ManagedBy))
	i := installation{client: client}
	if err := i.remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	list, err := client.Resource(definitions).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, d := range list.Items {
		left = append(left, d.GetName())
	}
	slices.Sort(left)
	if want := []string{"gadgets.example.com", "mine." + classicdra.ParametersGroup}; !slices.Equal(left, want) {
		t.Errorf("left are %q, want %q", left, want)
	}
}
