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

package declarations_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dra-conformance/dratest/drivers/declarations"
)

const good = `identity: {organization: Example, project: gpu, version: v1}
driver: gpu.example.com
classes:
- name: gpu.example.com
  devicesPerNode: 2
workload:
  present: [test, -e, /dev/gpu0]
  absent: [test, "!", -e, /dev/gpu0]
`

// versioned is the head of a file of today.
const versioned = "apiVersion: dra-conformance.github.io/v1alpha1\nkind: DriverDeclaration\n"

// Files from before apiVersion stay valid.
func TestUnversionedFileIsValid(t *testing.T) {
	data, err := os.ReadFile("testdata/unversioned.yaml")
	if err != nil {
		t.Fatal(err)
	}
	got, err := declarations.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	want, err := declarations.Shipped("dra-sim")
	if d := cmp.Diff(want.Declaration, got); err != nil || d != "" {
		t.Errorf("%v: want -, got +:\n%s", err, d)
	}
}

func TestParseReportsAllProblemsWithTheirLines(t *testing.T) {
	for _, tc := range []struct{ name, yaml, want string }{
		{"good", good, ""},
		{"typo in a name", strings.Replace(good, "devicesPerNode", "devicePerNode", 1),
			"line 4: classes[0].devicesPerNode: is 0, must be at least 1\nline 5: unknown field \"classes[0].devicePerNode\": did you mean \"devicesPerNode\"?"},
		{"typo in a feature", good + "features: {heatlh: true}\n", "line 9: unknown field \"features.heatlh\": did you mean \"health\"?"},
		{"nothing like it", good + "colour: red\n",
			"line 9: unknown field \"colour\": known are apiVersion, budget, classes, config, deploy, driver, exceptions, features, hooks, identity, kind, limits, nodes, workload"},
		{"wrong types", strings.Replace(good, "2", "many", 1) + "limits: {prepare: soon}\nfeatures: {health: maybe}\n",
			"line 5: `many` must be a number\nline 9: `soon` must be a time, as 30s or 2m\nline 10: `maybe` must be true or false"},
		{"features of classes", strings.Replace(good, "devicesPerNode: 2", `devicesPerNode: 2
  features: [health]
- {name: part, devicesPerNode: 1, features: [partitionable, heatlh]}
- {name: shared, devicesPerNode: 1, features: [consumableCapacity, partitionable]}`, 1),
			"line 6: classes[0].features: must not be set: the first class is used by all cases except those of features listed by another class\n" +
				"line 7: classes[1].features: \"heatlh\" is none of [partitionable consumableCapacity taints adminAccess extendedResource prioritizedList deviceStatus health bindingConditions rollingUpdate sharedClaim metadata podDevices oneContainer]\n" +
				"line 8: classes[2].features: partitionable is class part's already"},
		{"commands of a class", versioned + strings.Replace(good, "devicesPerNode: 2", "devicesPerNode: 2\n- {name: part, devicesPerNode: 1, features: [partitionable], workload: {present: [a], absent: [b]}}", 1), ""},
		{"half of the commands of a class", versioned + strings.Replace(good, "devicesPerNode: 2", "devicesPerNode: 2\n- {name: part, devicesPerNode: 1, workload: {present: [a]}}", 1),
			"line 8: classes[1].workload: must have present and absent, or be left out"},
		{"a previous version that nobody installs", good + "deploy: {previousVersion: v0}\nhooks: {upgrade: {command: [x]}}\n",
			"line 9: deploy.previousVersion: requires hooks.downgrade to install it and hooks.upgrade to install this version again"},
		{"a device that nobody heals", good + "hooks:\n  makeUnhealthy: {command: [x]}\n", "line 10: hooks.makeUnhealthy: requires hooks.heal to undo it"},
		{"a template that no node can have", good + "nodes:\n  template:\n  - {count: 0, capacity: {memory: much}}\n",
			"line 11: nodes.template[0].count: is 0, must be at least 1\nline 11: nodes.template[0].capacity: memory: \"much\" is no quantity, as 16Gi"},
		{"a budget that nobody can keep", good + "budget:\n  prepareP99: -1s\n  sliceWritesPerHour: -1\n  memory: much\n  fileDescriptors: -1\n",
			"line 10: budget.prepareP99: must not be negative\nline 11: budget.sliceWritesPerHour: must not be negative\nline 12: budget.memory: \"much\" is no quantity, as 64Mi\nline 13: budget.fileDescriptors: must not be negative"},
		{"a hook for a cluster on a node", good + "hooks:\n  install: {command: [x], on: node}\n", "line 10: hooks.install.on: must be machine: the hook is not limited to one node"},
		{"a name of today in a file of before", good + "hooks:\n  inventory: {command: [x], runsOn: node}\n",
			"line 10: unknown field \"hooks.inventory.runsOn\": it needs the lines \"apiVersion: dra-conformance.github.io/v1alpha1\" and \"kind: DriverDeclaration\""},
		{"a name of before in a file of today", versioned + good + "hooks:\n  inventory: {command: [x], on: node}\n",
			"line 12: unknown field \"hooks.inventory.on\": its name in dra-conformance.github.io/v1alpha1 is \"runsOn\""},
		{"a hook for a cluster on a node, today", versioned + good + "hooks:\n  install: {command: [x], runsOn: node}\n", "line 12: hooks.install.runsOn: must be machine: the hook is not limited to one node"},
		{"a later version", strings.Replace(versioned, "v1alpha1", "v1", 1) + good + "colour: red\n",
			"line 1: apiVersion: \"dra-conformance.github.io/v1\" is unknown to this dratest, which knows dra-conformance.github.io/v1alpha1: use a newer dratest"},
		{"a template of today in a file of before", good + "namespace: {labels: {a: b}}\n",
			"line 9: unknown field \"namespace\": it needs the lines \"apiVersion: dra-conformance.github.io/v1alpha1\" and \"kind: DriverDeclaration\""},
		{"a template", versioned + good + "  template:\n    tolerations: [{key: gpu, operator: Exists}]\n    containers: [{name: '*', securityContext: {runAsNonRoot: true}}]\nnamespace: {labels: {team: a}, annotations: {Example.com/x: y}}\n", ""},
		{"a template that is no pod", versioned + good + "  template: {toleration: [a]}\n", "line 11: workload.template: is no pod spec: unknown field \"toleration\""},
		{"a template that breaks cases", versioned + good + "  template: {schedulerName: mine, schedulingGates: [{name: x}], serviceAccountName: x, readinessGates: [{conditionType: x}]}\n", "line 11: workload.template.readinessGates: must not be set: pods would never be ready\n" +
			"line 11: workload.template.schedulerName: must not be set: cases test the default scheduler, and other schedulers may ignore claims\n" +
			"line 11: workload.template.schedulingGates: must not be set: pods would not be scheduled\n" +
			"line 11: workload.template.serviceAccountName: must not be set: namespaces are new and have the account default only"},
		{"own cases", versioned + good + "cases:\n- {name: A, promise: \"a\\nb\", command: [x]}\n- {name: a, promise: x, timeout: -1s}\n- {name: a, promise: ' ', command: [x]}\n", "line 12: cases[0].name: \"A\" must be of lower case letters, digits, '-', '.' and '/'\nline 12: cases[0].promise: must be one line of printable characters\n" +
			"line 13: cases[1].command: is missing\nline 13: cases[1].timeout: must not be negative\n" +
			"line 14: cases[2].name: \"a\" is there twice\nline 14: cases[2].promise: is missing"},
		{"own cases without a version", good + "cases: []\n", "line 9: unknown field \"cases\": it needs the lines \"apiVersion: dra-conformance.github.io/v1alpha1\" and \"kind: DriverDeclaration\""},
		{"a template with wrong types", versioned + good + "  template: {nodeSelector: [a]}\n", "line 11: workload.template: is no pod spec: json: cannot unmarshal array into Go struct field PodSpec.nodeSelector of type map[string]string"},
		{"a template that fights with cases", versioned + good + "  template:\n    nodeName: a\n    restartPolicy: Always\n    containers: [{name: main, image: x}]\n",
			"line 12: workload.template.nodeName: must not be set: each case has its own\nline 13: workload.template.restartPolicy: must not be set: each case has its own\n" +
				"line 14: workload.template.containers: must be one with the name \"*\", for all containers\nline 14: workload.template.containers: image must not be set: each case has its own"},
		{"a template with fields in other letters", versioned + good + "  template: {NodeName: a, containers: [{name: '*', Image: x}]}\n",
			"line 11: workload.template: is no pod spec: unknown field \"NodeName\"\nline 11: workload.template: is no pod spec: unknown field \"containers[0].Image\""},
		{"an empty second document", good + "---\n", ""},
		{"a second document", good + "---\ndriver: other.example.com\n", "line 10: must be one document: this is a second one"},
		{"two containers", versioned + good + "  template: {containers: []}\n", "line 11: workload.template.containers: must be one with the name \"*\", for all containers"},
		{"a namespace with wrong labels", versioned + good + "namespace:\n  labels: {pod-security.kubernetes.io/enforce: restricted, 'a b': c, app.kubernetes.io/managed-by: me}\nhooks: {inventory: {command: [x], runsOn: node}}\n",
			"line 12: namespace.labels: app.kubernetes.io/managed-by is dratest's\nline 12: namespace.labels: a b: name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"},
		{"another kind", strings.Replace(versioned, "DriverDeclaration", "Driver", 1) + good, "line 2: kind: is \"Driver\", must be DriverDeclaration"},
		{"no kind", strings.Replace(versioned, "kind: DriverDeclaration\n", "", 1) + good, "line 1: kind: is missing: add kind: DriverDeclaration"},
		{"a kind alone", "kind: DriverDeclaration\n" + good, "line 1: apiVersion: is missing: add apiVersion: dra-conformance.github.io/v1alpha1"},
		{"a list instead of fields", good + "nodes: [a]\n", "line 9: must be fields with values"},
		{"twice", good + "driver: b.example.com\n", "line 9: mapping key \"driver\" already defined at line 2"},
		{"no YAML", "identity: [", "line 1: did not find expected node content"},
		{"empty", "", "line 1: the file is empty: `dratest certify init --driver NAME` writes one"},
		{"much is wrong", `identity: {organization: Example, url: nowhere}
driver: GPU
classes:
- {name: A_b, devicesPerNode: 1}
- {name: c, devicesPerNode: 1}
- {name: c, devicesPerNode: 1}
workload: {present: [a]}
hooks:
  install: {on: moon}
deploy: {daemonSet: x}
nodes: {kubeletRoot: var}
exceptions:
- {case: core/x, reason: r, until: soon}
`, `line 1: identity.project: is missing
line 1: identity.version: is missing
line 1: identity.url: "nowhere" is no URL
line 2: driver: "GPU" must be a DNS subdomain of at most 63 characters
line 4: classes[0].name: "A_b" is no name of a device class`,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := declarations.Parse([]byte(tc.yaml))
			got := ""
			if err != nil {
				got = err.Error()
				if !errors.As(err, new(declarations.ParseErrors)) {
					t.Errorf("error is %T", err)
				}
			}
			if tc.name == "much is wrong" {
				for _, want := range append(strings.Split(tc.want, "\n"), `line 6: classes[2].name: "c" is there twice, with the same selectors`, "line 7: workload.absent: is missing",
					"line 9: hooks.install.command: is missing", `line 9: hooks.install.on: is "moon"`, `line 10: deploy.daemonSet: "x" must be namespace/name`,
					`line 11: nodes.kubeletRoot: "var" must be an absolute path`, "line 13: exceptions[0].issue: is missing", `line 13: exceptions[0].until: "soon" must be a day`) {
					if !strings.Contains(got, want) {
						t.Errorf("lacks %q:\n%s", want, got)
					}
				}
				return
			}
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestExampleIsDeclaredRightly(t *testing.T) {
	data, err := os.ReadFile("../../examples/vendor/driver.yaml")
	if err == nil {
		_, err = declarations.Parse(data)
	}
	if err != nil {
		t.Error(err)
	}
}
