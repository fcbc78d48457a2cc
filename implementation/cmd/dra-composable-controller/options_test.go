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
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	logsapi "k8s.io/component-base/logs/api/v1"
	"sigs.k8s.io/yaml"
)

func TestFlagsThatAreWrong(t *testing.T) {
	// Logging can only be configured once per process.
	t.Cleanup(func() { _ = logsapi.ResetForTest(utilfeature.DefaultFeatureGate) })
	cmd := program(&options{}).Command()
	var out bytes.Buffer
	cmd.SetOut(&out)
	cmd.SetErr(&out)
	cmd.SetArgs([]string{"--fabric-url=http://fabric", "--when-attached=wait", "--refresh-period=0s", "--fabric-nodes=a in"})
	err := cmd.Execute()
	for _, want := range []string{"--fabric-url must be given", "--driver-name must be given", "--fabric-token-file must be given", "--when-attached must be", "--refresh-period and", "--fabric-nodes"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is missing in: %v", want, err)
		}
	}
}

func TestConfig(t *testing.T) {
	o := &options{}
	cmd := program(o).Command()
	if err := cmd.ParseFlags([]string{"--fabric-url=https://fabric:1", "--driver-name=gpu.example.com", "--fabric-token-file=token", "--fabric-nodes=fabric=a,zone in (b,c)"}); err != nil {
		t.Fatal(err)
	}
	c, err := o.config()
	if err != nil || !c.Reschedule || c.RefreshAfterActs || c.Refresh.Seconds() != 10 {
		t.Errorf("got %+v, %v", c, err)
	}
	want := []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{
		{Key: "zone", Operator: corev1.NodeSelectorOpIn, Values: []string{"b", "c"}}, {Key: "fabric", Operator: corev1.NodeSelectorOpIn, Values: []string{"a"}}}}}
	if diff := cmp.Diff(want, c.Nodes.NodeSelectorTerms); diff != "" {
		t.Error(diff)
	}
}

// The controller may write its own driver's device status, on any node, and no other driver's.
func TestPermissions(t *testing.T) {
	data, err := os.ReadFile("manifest.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, document := range strings.Split(string(data), "\n---\n") {
		var role rbacv1.ClusterRole
		if err := yaml.Unmarshal([]byte(document), &role); err != nil {
			t.Fatal(err)
		}
		if role.Kind != "ClusterRole" {
			continue
		}
		found := false
		for _, rule := range role.Rules {
			for _, resource := range rule.Resources {
				found = found || resource == "resourceclaims/driver" && cmp.Equal(rule.Verbs, []string{"arbitrary-node:update"}) && len(rule.ResourceNames) == 1
				if resource == "resourceclaims/binding" || resource == "*" || rule.Verbs[0] == "*" {
					t.Errorf("too much: %v", rule)
				}
			}
		}
		if !found {
			t.Error("the permission for the driver's devices is missing")
		}
		return
	}
	t.Error("there is no ClusterRole")
}
