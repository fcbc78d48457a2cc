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

package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/cel-go/cel"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/apiserver/pkg/cel/environment"
	"sigs.k8s.io/yaml"
)

// load returns the policy of a file, and checks its binding.
func load(t *testing.T, file string) *admissionv1.ValidatingAdmissionPolicy {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	documents := utilyaml.NewYAMLReader(bufferedReader(text))
	var policy admissionv1.ValidatingAdmissionPolicy
	var binding admissionv1.ValidatingAdmissionPolicyBinding
	for _, into := range []any{&policy, &binding} {
		document, err := documents.Read()
		if err != nil {
			t.Fatal(err)
		}
		if err := yaml.UnmarshalStrict(document, into); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := documents.Read(); !errors.Is(err, io.EOF) || binding.Spec.PolicyName != policy.Name {
		t.Fatalf("%s: want a policy and its binding, %v", file, err)
	}
	return &policy
}

// evaluator evaluates a policy's expressions for a request.
type evaluator struct {
	*testing.T
	env  *cel.Env
	vars map[string]any
}

func (e *evaluator) eval(expression string) any {
	e.Helper()
	ast, issues := e.env.Compile(expression)
	if issues.Err() != nil {
		e.Fatal(issues.Err())
	}
	program, err := e.env.Program(ast)
	if err != nil {
		e.Fatal(err)
	}
	value, _, err := program.Eval(e.vars)
	if err != nil {
		e.Fatalf("%s: %v", expression, err)
	}
	return value.Value()
}

// admit returns a policy's objections to a request, empty if there are none.
func admit(t *testing.T, policy *admissionv1.ValidatingAdmissionPolicy, object, old map[string]any) string {
	t.Helper()
	base, err := environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()).Env(environment.NewExpressions)
	if err != nil {
		t.Fatal(err)
	}
	env, err := base.Extend(cel.Variable("object", cel.DynType), cel.Variable("oldObject", cel.DynType), cel.Variable("variables", cel.DynType))
	if err != nil {
		t.Fatal(err)
	}
	variables := map[string]any{}
	e := &evaluator{t, env, map[string]any{"object": object, "oldObject": old, "variables": variables}}
	for _, condition := range policy.Spec.MatchConditions {
		if e.eval(condition.Expression) != true {
			return ""
		}
	}
	for _, variable := range policy.Spec.Variables {
		variables[variable.Name] = e.eval(variable.Expression)
	}
	for _, validation := range policy.Spec.Validations {
		if e.eval(validation.Expression) == true {
			continue
		}
		if validation.MessageExpression != "" {
			return e.eval(validation.MessageExpression).(string)
		}
		return validation.Message
	}
	return ""
}

func object(t *testing.T, text string) map[string]any {
	t.Helper()
	raw, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var o map[string]any
	if err := utiljson.Unmarshal(raw, &o); err != nil {
		t.Fatal(err)
	}
	return o
}

func bufferedReader(text []byte) *bufio.Reader { return bufio.NewReader(bytes.NewReader(text)) }

func TestUserLimit(t *testing.T) {
	policy := load(t, "policy/user-limit.yaml")
	// claim has an allocation with a limit of users; an empty limit means a scheduler's allocation.
	claim := func(limit string, users ...string) string {
		config := `{source: FromClaim, opaque: {driver: gpu.example.com, parameters: {kind: X}}}`
		if limit != "" {
			config += `, {source: FromClass, opaque: {driver: classic.dra-conformance.github.io, parameters: {kind: AllocationConfig, userLimit: ` + limit + `}}}`
		}
		return `{spec: {}, status: {reservedFor: [` + strings.Join(users, ",") + `], allocation: {devices: {config: [` + config + `]}}}}`
	}
	const refused = "the driver of the claim allows 1 users at a time: wait until one has ended"
	tests := []struct{ name, old, object, want string }{
		{"the first user", claim("1"), claim("1", "a"), ""},
		{"allocated and reserved at once", "{spec: {}}", claim("1", "a"), ""},
		{"the second of one", claim("1", "a"), claim("1", "a", "b"), refused},
		{"two at once", claim("1"), claim("1", "a", "b"), refused},
		{"one of too many leaves", claim("1", "a", "b", "c"), claim("1", "a", "b"), ""},
		{"the second of two", claim("2", "a"), claim("2", "a", "b"), ""},
		{"no limit", claim("-1", "a"), claim("-1", "a", "b", "c"), ""},
		{"allocated by a scheduler", claim("", "a"), claim("", "a", "b"), ""},
		{"no configuration", "{spec: {}}", "{spec: {}, status: {reservedFor: [a, b], allocation: {devices: {results: []}}}}", ""},
		{"not allocated", "{spec: {}}", "{spec: {}}", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := admit(t, policy, object(t, test.object), object(t, test.old)); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestClassSelector(t *testing.T) {
	policy := load(t, "policy/class-selector.yaml")
	const classic = `config: [{opaque: {driver: classic.dra-conformance.github.io, parameters: {}}}]`
	tests := []struct{ name, spec, want string }{
		{"classic", `{selectors: [{cel: {expression: "false"}}], ` + classic + `}`, ""},
		{"without selectors", `{` + classic + `}`, "needs a selector"},
		{"with another selector", `{selectors: [{cel: {expression: "true"}}], ` + classic + `}`, "needs a selector"},
		{"with devices in slices", `{config: [{opaque: {driver: gpu.example.com, parameters: {}}}]}`, ""},
		{"empty", `{}`, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := admit(t, policy, object(t, "{spec: "+test.spec+"}"), nil)
			if (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
