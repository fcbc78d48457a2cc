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

package undertest

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/emptypb"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/pools"
)

const (
	gpu0, gpu1 = "{kind: v/c, devices: [{name: gpu-0}]}", "{kind: v/c, devices: [{name: gpu-1}]}"
	base       = "{kind: v/c, devices: [{name: gpu-0}, {name: gpu-1}]}"
)

func TestSpecsOfClaims(t *testing.T) {
	of := prepared{uids: []types.UID{"uid-1"}, devices: []string{"v/c=gpu-0"}}
	for _, tc := range []struct {
		name          string
		path, content string
		before        string
		lost, left    bool
	}{
		{"named after the claim", "/var/run/cdi/uid-1.json", "", "", true, true},
		{"named so in /etc", "/etc/cdi/uid-1.json", "", "", true, true},
		{"with the UID", "/var/run/cdi/a.json", "{kind: v/c, devices: [{name: uid-1}]}", "", true, true},
		{"of the device", "/var/run/cdi/a.json", gpu0, "", true, true},
		{"of the device, as before", "/var/run/cdi/a.json", gpu0, gpu0, true, false},
		{"of another device before", "/var/run/cdi/a.json", gpu0, gpu1, true, true},
		{"of all devices, as before", "/var/run/cdi/a.yaml", base, base, true, false},
		{"of all devices, in /etc", "/etc/cdi/a.yaml", base, base, false, false},
		{"of another device", "/var/run/cdi/a.json", gpu1, "", false, false},
		{"of another kind", "/var/run/cdi/a.json", "{kind: w/c, devices: [{name: gpu-0}]}", "", false, false},
		{"not CDI", "/var/run/cdi/a.json", "[", "", false, false},
	} {
		files := map[string][]byte{tc.path: []byte(tc.content)}
		if got := of.lost(files); (len(got) > 0) != tc.lost {
			t.Errorf("%s: lost are %v", tc.name, got)
		}
		if got := of.left(map[string][]byte{"/var/run/cdi/before.json": []byte(tc.before)}, files); (len(got) > 0) != tc.left {
			t.Errorf("%s: left are %v", tc.name, got)
		}
	}
}

// specNode is a node with CDI files.
type specNode struct {
	*node

	files map[string][]byte
}

func (n *specNode) ListSpecs(context.Context, *agentapi.NodeRequest, ...grpc.CallOption) (*agentapi.Files, error) {
	return &agentapi.Files{Files: maps.Clone(n.files)}, nil
}

func (n *specNode) RemoveSpec(_ context.Context, r *agentapi.FileRequest, _ ...grpc.CallOption) (*emptypb.Empty, error) {
	delete(n.files, r.Path)
	return &emptypb.Empty{}, nil
}

// TestLoseSpecs: what ExpectDevices has found of a claim says which files are its.
func TestLoseSpecs(t *testing.T) {
	for _, tc := range []struct {
		name    string
		files   map[string][]byte
		none    bool
		stay    []string
		blocked bool
	}{
		{"one for each device", map[string][]byte{"/var/run/cdi/0": []byte("{kind: v/c, devices: [{name: '0'}]}"), "/var/run/cdi/1": []byte("{kind: v/c, devices: [{name: '1'}]}")}, false, []string{"/var/run/cdi/1"}, false},
		{"only of others", map[string][]byte{"/var/run/cdi/1": []byte("{kind: v/c, devices: [{name: '1'}]}")}, false, []string{"/var/run/cdi/1"}, true},
		{"a driver without CDI devices", nil, true, nil, false},
	} {
		f, n, c := newVendorCase(t)
		c.Namespace, c.UID = f.Namespace, "uid-1"
		if tc.none {
			n.reported.List[0].CDIDevices, n.has = nil, nil
		}
		if _, err := f.Client.ResourceV1().ResourceClaims(c.Namespace).Create(t.Context(), c, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		nodes := &specNode{node: n, files: tc.files}
		f.Env().Agents = nodes
		driver := Of(f.T)
		f.Succeeds(t, func() { driver.trace("pod", "main", c, pools.Allocated(c, vendor), false) })
		failed := f.Fails(t, func() { driver.LoseSpecs("worker") })
		if (failed != nil) != tc.blocked || failed != nil && failed.Blocked == "" {
			t.Errorf("%s: %+v", tc.name, failed)
		}
		if d := cmp.Diff(tc.stay, slices.Sorted(maps.Keys(nodes.files))); d != "" {
			t.Errorf("%s: files that stay: %s", tc.name, d)
		}
	}
}

// TestDeviceIsLeft: a CDI device that was not there as the case began must go.
func TestDeviceIsLeft(t *testing.T) {
	f, n, c := newVendorCase(t)
	nodes := &specNode{node: n, files: map[string][]byte{}}
	f.Env().Agents, c.UID = nodes, "uid-1"
	driver := Of(f.T)
	f.Succeeds(t, func() { driver.trace("pod", "main", c, pools.Allocated(c, vendor), false) })
	nodes.files["/var/run/cdi/0"] = []byte("{kind: v/c, devices: [{name: '0'}]}")
	failed := f.Fails(t, func() { driver.ExpectNothingLeft("worker", c) })
	if failed == nil || !strings.Contains(failed.Text, "/var/run/cdi/0: v/c=0") {
		t.Errorf("%v", failed)
	}
}
