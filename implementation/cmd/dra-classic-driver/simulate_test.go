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
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/dra-conformance/dratest/implementation/classic/api/v1alpha1"
	classicfake "github.com/dra-conformance/dratest/implementation/classic/client/fake"
	"github.com/dra-conformance/dratest/implementation/classic/sampledriver"
)

func TestMistakesInAQuestion(t *testing.T) {
	q := question{connection: connection{name: "No Name"}, driver: sampledriver.Config{Devices: -1}, output: "xml"}
	err := q.validate()
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{"--driver-name", "must not be negative", "--filename", "--state-file", "--count", "--output xml"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in: %v", want, err)
		}
	}
}

func TestReadNodes(t *testing.T) {
	for _, test := range []struct{ name, text, nodes, problem string }{
		{"two", "# a comment\n---\napiVersion: v1\nkind: Node\nmetadata: {name: a}\n---\n{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"b\"}}\n", "a-new-1 a-new-2 b-new-1 b-new-2", ""},
		{"none", "# a comment\n", "", "there are none"},
		{"another kind", "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n", "", `there is "Pod"`},
		{"no name", "apiVersion: v1\nkind: Node\n", "", "with a name"},
		{"a list, as of kubectl", "apiVersion: v1\nkind: List\nmetadata: {resourceVersion: \"\"}\nitems:\n- {apiVersion: v1, kind: Node, metadata: {name: a}}\n- {apiVersion: v1, kind: Node, metadata: {name: b}}\n", "a-new-1 a-new-2 b-new-1 b-new-2", ""},
		{"a list of others", "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Pod, metadata: {name: a}}\n", "", "it has to be a Node"},
		{"a name that is taken", "apiVersion: v1\nkind: Node\nmetadata: {name: taken}\n", "taken-new-2 taken-new-3", ""},
		{"unknown field", "apiVersion: v1\nkind: Node\nmetadata: {name: a}\nspecs: {}\n", "", "specs"},
	} {
		t.Run(test.name, func(t *testing.T) {
			nodes, err := readNodes("-", strings.NewReader(test.text))
			if (err == nil) != (test.problem == "") || err != nil && !strings.Contains(err.Error(), test.problem) {
				t.Errorf("got %v", err)
			}
			var names []string
			for _, node := range newNodes(nodes, 2, []*corev1.Node{{ObjectMeta: metav1.ObjectMeta{Name: "taken-new-1"}}}) {
				names = append(names, node.Name)
				if node.Labels[corev1.LabelHostname] != node.Name {
					t.Errorf("node %s has the labels %v", node.Name, node.Labels)
				}
			}
			if got := strings.Join(names, " "); got != test.nodes {
				t.Errorf("got %s", got)
			}
		})
	}
	if _, err := readNodes(filepath.Join(t.TempDir(), "none"), nil); err == nil {
		t.Error("a file that is not there is read")
	}
}

func resourceClassOf() *v1alpha1.ResourceClass {
	return &v1alpha1.ResourceClass{ObjectMeta: metav1.ObjectMeta{Name: "example"}, DriverName: "test-driver.example.com"}
}

func classOf() *resourceapi.DeviceClass {
	config := &resourceapi.OpaqueDeviceConfiguration{Driver: v1alpha1.GroupName}
	config.Parameters.Raw = []byte(`{"apiVersion":"classic.dra-conformance.github.io/v1alpha1","kind":"ClassConfig","resourceClassName":"example"}`)
	class := &resourceapi.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: "example"}}
	class.Spec.Config = []resourceapi.DeviceClassConfiguration{{DeviceConfiguration: resourceapi.DeviceConfiguration{Opaque: config}}}
	return class
}

func claimOf(name string) *resourceapi.ResourceClaim {
	claim := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, UID: types.UID(name)}}
	claim.Spec.Devices.Requests = []resourceapi.DeviceRequest{{Name: "req", Exactly: &resourceapi.ExactDeviceRequest{DeviceClassName: "example"}}}
	return claim
}

func podOf(name string, claims ...string) *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, UID: types.UID(name)}}
	for _, claim := range claims {
		pod.Spec.ResourceClaims = append(pod.Spec.ResourceClaims, corev1.PodResourceClaim{Name: claim, ResourceClaimName: &claim})
	}
	return pod
}

// The output for pods with and without a node.
func TestSimulate(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state.json")
	if err := os.WriteFile(state, []byte(`{"claims":{"other":{"Pool":"a","Device":"device-0"}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	foreign := claimOf("foreign")
	foreign.Spec.Devices.Requests[0].Exactly.DeviceClassName = "other"
	kube := fake.NewClientset(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "a"}}, classOf(), podOf("one", "one", "foreign"), claimOf("one"), foreign, podOf("two", "two"), claimOf("two"))
	classic, err := classicfake.New(resourceClassOf())
	if err != nil {
		t.Fatal(err)
	}
	read, err := readCluster(t.Context(), kube, classic)
	if err != nil {
		t.Fatal(err)
	}
	more := newNodes([]*corev1.Node{{ObjectMeta: metav1.ObjectMeta{Name: "a"}}}, 1, read.Nodes)
	predicted, err := simulate(t.Context(), "test-driver.example.com", sampledriver.Config{Devices: 1, StateFile: state}, nil, read, more)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := predicted.write(&text, "table"); err != nil {
		t.Fatal(err)
	}
	want := `2 pending pods: 0 fit existing nodes, 1 need new nodes, 1 cannot run

POD     NODE     DEVICES
ns/one  a-new-1  a-new-1/device-0 (not asked: foreign)

Cannot run:
  ns/two: 2 nodes, none serves: 2: the driver cannot allocate all claims
`
	if text.String() != want {
		t.Errorf("got\n%s\nwant\n%s", text.String(), want)
	}
	text.Reset()
	if err := predicted.write(&text, "json"); err != nil || !strings.Contains(text.String(), `"new": true`) {
		t.Errorf("got %s, %v", text.String(), err)
	}
}
