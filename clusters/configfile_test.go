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

package clusters_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/spec"
)

func TestDecodeConfig(t *testing.T) {
	got, err := clusters.DecodeConfig([]byte(`
name: gates
version: v1.37.1
workers: 0
featureGates: {DRADeviceTaintRules: true}
runtimeConfig: {resource.k8s.io/v1alpha3: "true", api/beta: true}
componentArgs: {scheduler: {v: 6}}
kubelet: {logging: {verbosity: 6}}
stack: {scheduler: own, kubelet: own, kubeletNodes: [worker2]}
`))
	want := clusters.Config{
		Name: "gates", Version: "v1.37.1", Workers: new(0),
		FeatureGates:  map[string]bool{"DRADeviceTaintRules": true},
		RuntimeConfig: map[string]string{"resource.k8s.io/v1alpha3": "true", "api/beta": "true"},
		ComponentArgs: map[string]map[string]string{"scheduler": {"v": "6"}},
		Kubelet:       map[string]any{"logging": map[string]any{"verbosity": 6.0}},
		Stack:         clusters.Stack{Scheduler: spec.Own, Kubelet: spec.Own, KubeletNodes: []string{"worker2"}},
	}
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, empty := range []string{"", "# nothing\n", "---\n", "{}"} {
		if c, err := clusters.DecodeConfig([]byte(empty)); err != nil || !cmp.Equal(c, clusters.Config{}) {
			t.Errorf("%q: %+v, %v", empty, c, err)
		}
	}
}

func TestDecodeConfigNamesLineAndField(t *testing.T) {
	for _, tc := range []struct {
		name, in string
		want     []string // lines of the error
	}{
		{"unknown field", "name: x\nwrokers: 2\n", []string{`line 2: unknown field "wrokers", known are componentArgs, `}},
		{"two unknown fields", "a: 1\nname: x\nkeep: true\n", []string{`line 1: unknown field "a"`, `line 3: unknown field "keep"`}},
		{"field twice", "name: x\nworkers: 2\nname: y\n", []string{`line 3: `}},
		{"wrong type", "name: x\n\nworkers: many\n", []string{"line 3: workers: must be a whole number, is a text"}},
		{"fraction", "workers: 1.5\n", []string{"line 1: workers: must be a whole number, is a number 1.5"}},
		{"wrong type in a map", "featureGates:\n  A: true\n  B: maybe\n", []string{"line 3: featureGates.B: must be true or false, is a text"}},
		{"text for a map", "name: x\nfeatureGates: A=true\n", []string{"line 2: featureGates: must be a list of fields, is a text"}},
		{"deep", "componentArgs:\n  scheduler:\n    v: [6]\n", []string{"line 3: componentArgs.scheduler.v: must be a text, is a list"}},
		{"text for the inner map", "componentArgs:\n  scheduler: v=6\n", []string{"line 2: componentArgs.scheduler: must be a list of fields, is a text"}},
		{"text for a stack", "name: x\nstack: own\n", []string{"line 2: stack: must be a list of fields, is a text"}},
		{"component of a stack", "stack:\n  scheduler: ours\n", []string{`line 1: stack: scheduler: "ours" is neither stock nor own`}},
		{"unknown component of a stack", "name: x\nstack: {etcd: own}\n", []string{`line 2: stack: unknown field "etcd"`}},
		{"nodes of no kubelet", "name: x\nstack: {kubeletNodes: [worker]}\n", []string{"line 2: stack: kubeletNodes: says nothing without kubelet"}},
		{"one node for a list", "name: x\nstack: {kubeletNodes: worker}\n", []string{"line 2: stack.kubeletNodes: must be a list, is a text"}},
		{"not fields", "- name: x\n", []string{"line 1: a cluster file consists of fields"}},
		{"syntax", "name: x\nworkers: [2\n", []string{"line "}},
		// Switching to own controllers timed out after three minutes: no leader was ever elected.
		{"nobody leads", "componentArgs:\n  controller-manager: {leader-elect: false}\n  scheduler: {--leader_elect: f}\n", []string{
			"line 1: componentArgs: controller-manager: leader-elect must stay true",
			"line 1: componentArgs: scheduler: leader-elect must stay true",
		}},
		{"bad values", "workers: 99\nname: Not_A_Name\ncomponentArgs: {kublet: {}}\n", []string{
			`line 2: name: "Not_A_Name"`, "line 1: workers: 99: must be between 0 and 20", `line 3: componentArgs: unknown component "kublet"`,
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := clusters.DecodeConfig([]byte(tc.in))
			if err == nil {
				t.Fatal("no error")
			}
			got := strings.Split(err.Error(), "\n")
			if len(got) != len(tc.want) {
				t.Fatalf("got %q", got)
			}
			for i, want := range tc.want {
				if !strings.HasPrefix(got[i], want) {
					t.Errorf("got  %s\nwant %s…", got[i], want)
				}
			}
		})
	}
}
