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

package v1alpha1_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"sigs.k8s.io/yaml"

	"github.com/dra-conformance/dratest/implementation/classic/api/v1alpha1"
)

// definition is a CustomResourceDefinition as used by the API server.
type definition struct {
	openAPI    *apiextensions.JSONSchemaProps
	structural *schema.Structural
	status     bool
}

// definitions are the generated definitions by kind.
func definitions(t *testing.T) map[string]definition {
	t.Helper()
	files, err := filepath.Glob("../../../cmd/dra-classic-driver/crd/*.yaml")
	if err != nil || len(files) != 3 {
		t.Fatalf("want 3 definitions, got %v, %v", files, err)
	}
	all := make(map[string]definition)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var crd apiextensionsv1.CustomResourceDefinition
		if err := yaml.UnmarshalStrict(text, &crd); err != nil {
			t.Fatal(err)
		}
		var props apiextensions.JSONSchemaProps
		version := crd.Spec.Versions[0]
		if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(version.Schema.OpenAPIV3Schema, &props, nil); err != nil {
			t.Fatal(err)
		}
		structural, err := schema.NewStructural(&props)
		if err != nil {
			t.Fatal(err)
		}
		all[crd.Spec.Names.Kind] = definition{&props, structural, version.Subresources != nil && version.Subresources.Status != nil}
	}
	return all
}

// validate returns the API server's errors for an object or its update, in one line.
func (d definition) validate(t *testing.T, object, old map[string]any) string {
	t.Helper()
	validator, _, err := validation.NewSchemaValidator(d.openAPI)
	if err != nil {
		t.Fatal(err)
	}
	errs := validation.ValidateCustomResource(nil, object, validator)
	errs = append(errs, listtype.ValidateListSetsAndMaps(nil, d.structural, object)...)
	rules := cel.NewValidator(d.structural, true, celconfig.PerCallLimit)
	var before any
	if old != nil {
		before = old
	}
	more, _ := rules.Validate(context.Background(), nil, d.structural, object, before, celconfig.RuntimeCELCostBudget)
	if all := append(errs, more...).ToAggregate(); all != nil {
		return all.Error()
	}
	return ""
}

func object(t *testing.T, text string) map[string]any {
	t.Helper()
	var o map[string]any
	converted, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	// Decode integers like the API server.
	if err := utiljson.Unmarshal(converted, &o); err != nil {
		t.Fatal(err)
	}
	return o
}

func TestDefinitionsRefuse(t *testing.T) {
	many := func(n int) string {
		nodes := make([]string, n)
		for i := range nodes {
			nodes[i] = "n" + strings.Repeat("x", i)
		}
		text, _ := json.Marshal(nodes)
		return string(text)
	}
	const claim = "{claimUID: u, driverName: d.example.com, allocationMode: WaitForFirstConsumer, selectedNode: a}"
	tests := []struct{ name, kind, old, object, want string }{
		{"a class", "ResourceClass", "", `{driverName: d.example.com, parametersRef: {kind: ConfigMap, name: a, namespace: b}}`, ""},
		{"parameters without an object", "ResourceClass", "", `{driverName: d.example.com, parameters: {initCommand: [a, b]}}`, ""},
		{"suitable nodes", "ResourceClass", "", `{driverName: d, suitableNodes: {nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [a]}]}]}}`, ""},
		{"no driver", "ResourceClass", "", `{}`, "driverName: Required value"},
		{"a driver that is no domain", "ResourceClass", "", `{driverName: A_B}`, "should match"},
		{"a long driver name", "ResourceClass", "", `{driverName: ` + strings.Repeat("a", 64) + `}`, "may not be more than 63"},
		{"parameters twice", "ResourceClass", "", `{driverName: d, parameters: {}, parametersRef: {kind: A, name: a}}`, "exclude each other"},
		{"parameters without a name", "ResourceClass", "", `{driverName: d, parametersRef: {kind: A}}`, "name: Required value"},
		{"128 nodes", "PodScheduling", "", `{spec: {potentialNodes: ` + many(128) + `}}`, ""},
		{"129 nodes", "PodScheduling", "", `{spec: {potentialNodes: ` + many(129) + `}}`, "must have at most 128 items"},
		{"a node twice", "PodScheduling", "", `{spec: {potentialNodes: [a, b, a]}}`, "a node is named once"},
		{"an answer", "PodScheduling", "", `{spec: {}, status: {resourceClaims: [{name: a, observedGeneration: 1, unsuitableNodes: [w]}, {name: b, observedGeneration: 1}]}}`, ""},
		{"two answers for a claim", "PodScheduling", "", `{spec: {}, status: {resourceClaims: [{name: a, observedGeneration: 1}, {name: a, observedGeneration: 1}]}}`, "Duplicate value"},
		{"an answer to nothing", "PodScheduling", "", `{spec: {}, status: {resourceClaims: [{name: a}]}}`, "observedGeneration: Required value"},
		{"129 unsuitable nodes", "PodScheduling", "", `{spec: {}, status: {resourceClaims: [{name: a, observedGeneration: 1, unsuitableNodes: ` + many(129) + `}]}}`, "must have at most 128 items"},
		{"the selection changes", "PodScheduling", `{spec: {selectedNode: a}}`, `{spec: {selectedNode: b}}`, ""},
		{"a record", "ClassicClaim", "", `{spec: ` + claim + `}`, ""},
		{"unknown mode", "ClassicClaim", "", `{spec: {claimUID: u, driverName: d, allocationMode: Delayed}}`, "supported values"},
		{"immediate for a node", "ClassicClaim", "", `{spec: {claimUID: u, driverName: d, allocationMode: Immediate, selectedNode: a}}`, "immediate allocation has no selected node"},
		{"another claim", "ClassicClaim", `{spec: ` + claim + `}`, `{spec: ` + strings.Replace(claim, ": u,", ": v,", 1) + `}`, "claimUID, driverName and allocationMode are immutable"},
		{"another driver", "ClassicClaim", `{spec: ` + claim + `}`, `{spec: ` + strings.Replace(claim, "d.example", "e.example", 1) + `}`, "claimUID, driverName and allocationMode are immutable"},
		{"another node", "ClassicClaim", `{spec: ` + claim + `}`, `{spec: ` + strings.Replace(claim, ": a}", ": b}", 1) + `}`, "selectedNode is immutable"},
		{"no node any more", "ClassicClaim", `{spec: ` + claim + `}`, `{spec: ` + strings.Replace(claim, ", selectedNode: a", "", 1) + `}`, "selectedNode is immutable"},
		{"deallocation asked for", "ClassicClaim", `{spec: ` + claim + `}`, `{spec: ` + strings.Replace(claim, "}", ", deallocationRequested: true}", 1) + `}`, ""},
		{"deallocation not any more", "ClassicClaim", `{spec: ` + strings.Replace(claim, "}", ", deallocationRequested: true}", 1) + `}`, `{spec: ` + claim + `}`, "cannot be taken back"},
		{"allocated", "ClassicClaim", `{spec: ` + claim + `, status: {}}`, `{spec: ` + claim + `, status: {phase: Allocated, resourceHandle: h, userLimit: -1}}`, ""},
		{"freed", "ClassicClaim", `{spec: ` + claim + `, status: {phase: Allocated, resourceHandle: h}}`, `{spec: ` + claim + `, status: {phase: Deallocating, resourceHandle: h}}`, ""},
		{"allocated again", "ClassicClaim", `{spec: ` + claim + `, status: {phase: Deallocating}}`, `{spec: ` + claim + `, status: {phase: Allocated}}`, "after that nothing"},
		{"phase taken back", "ClassicClaim", `{spec: ` + claim + `, status: {phase: Allocated}}`, `{spec: ` + claim + `, status: {}}`, "after that nothing"},
		{"another handle", "ClassicClaim", `{spec: ` + claim + `, status: {phase: Allocated, resourceHandle: h}}`, `{spec: ` + claim + `, status: {phase: Allocated, resourceHandle: i}}`, "resourceHandle is immutable"},
		{"no users", "ClassicClaim", "", `{spec: ` + claim + `, status: {userLimit: 0}}`, "must be positive, or -1"},
		{"minus two users", "ClassicClaim", "", `{spec: ` + claim + `, status: {userLimit: -2}}`, "must be positive, or -1"},
		{"a long handle", "ClassicClaim", "", `{spec: ` + claim + `, status: {resourceHandle: ` + strings.Repeat("h", 16385) + `}}`, "may not be more than 16384"},
	}
	all := definitions(t)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var old map[string]any
			if test.old != "" {
				old = object(t, test.old)
			}
			got := all[test.kind].validate(t, object(t, test.object), old)
			if (test.want == "") != (got == "") || !strings.Contains(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// The node name rule once compared all pairs of nodes in CEL, at every write of the scheduler and
// of drivers: a quarter of the API server's work for 1000 pods.
func TestManyNodesAreCheckedCheaply(t *testing.T) {
	nodes := make([]any, v1alpha1.MaxNodes)
	for i := range nodes {
		nodes[i] = fmt.Sprint("node-", i)
	}
	scheduling := definitions(t)["PodScheduling"]
	rules := cel.NewValidator(scheduling.structural, true, celconfig.PerCallLimit)
	errs, left := rules.Validate(t.Context(), nil, scheduling.structural, map[string]any{"spec": map[string]any{"potentialNodes": nodes}}, nil, celconfig.RuntimeCELCostBudget)
	if used := celconfig.RuntimeCELCostBudget - left; len(errs) > 0 || used > 5_000 {
		t.Errorf("it takes %d units of cost, %v", used, errs)
	}
}

// The API server would drop fields missing in the definition: "make generate" was forgotten.
func TestDefinitionsKnowAllFields(t *testing.T) {
	meta := metav1.ObjectMeta{Name: "a"}
	selector := &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
		MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "k", Operator: corev1.NodeSelectorOpIn, Values: []string{"v"}}},
		MatchFields:      []corev1.NodeSelectorRequirement{{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{"v"}}},
	}}}
	objects := map[string][]any{
		"ResourceClass": {
			&v1alpha1.ResourceClass{ObjectMeta: meta, DriverName: "d", SuitableNodes: selector,
				ParametersRef: &v1alpha1.ClassParametersReference{APIGroup: "g", Kind: "K", Name: "n", Namespace: "s"}},
			&v1alpha1.ResourceClass{ObjectMeta: meta, DriverName: "d", Parameters: &runtime.RawExtension{Raw: []byte(`{"a":{"b":["c"]}}`)}},
		},
		"PodScheduling": {&v1alpha1.PodScheduling{ObjectMeta: meta,
			Spec:   v1alpha1.PodSchedulingSpec{SelectedNode: "n", PotentialNodes: []string{"n"}},
			Status: v1alpha1.PodSchedulingStatus{ResourceClaims: []v1alpha1.ClaimSchedulingStatus{{Name: "c", ObservedGeneration: 1, UnsuitableNodes: []string{"n"}}}}}},
		"ClassicClaim": {&v1alpha1.ClassicClaim{ObjectMeta: meta,
			Spec:   v1alpha1.ClassicClaimSpec{ClaimUID: "u", DriverName: "d", AllocationMode: v1alpha1.WaitForFirstConsumer, SelectedNode: "n", DeallocationRequested: true},
			Status: v1alpha1.ClassicClaimStatus{Phase: v1alpha1.Allocated, ResourceHandle: "h", UserLimit: 1}}},
	}
	for kind, definition := range definitions(t) {
		if want := kind != "ResourceClass"; definition.status != want {
			t.Errorf("%s: status is a subresource: got %t, want %t", kind, definition.status, want)
		}
		if len(objects[kind]) == 0 {
			t.Errorf("%s: nothing to check", kind)
		}
		for _, o := range objects[kind] {
			filled, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
			if err != nil {
				t.Fatal(err)
			}
			if got := definition.validate(t, filled, nil); got != "" {
				t.Errorf("%s: %s", kind, got)
			}
			pruned := runtime.DeepCopyJSON(filled)
			pruning.Prune(pruned, definition.structural, true)
			if diff := cmp.Diff(filled, pruned); diff != "" {
				t.Errorf("%s: the definition drops fields (-type +definition):\n%s", kind, diff)
			}
		}
	}
}
