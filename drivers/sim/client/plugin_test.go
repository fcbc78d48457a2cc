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

package client

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"k8s.io/client-go/kubernetes/fake"
	drapb "k8s.io/kubelet/pkg/apis/dra/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/drivers/sim"
	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/spec"
)

// agent is a real agent with one driver; its directories are below root.
func agent(t *testing.T) (c *Client, root string) {
	t.Helper()
	root, err := os.MkdirTemp("", "sim") // a short path leaves room for a socket's name
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(root) })
	for _, dir := range []string{"plugins_registry", "plugins", "cdi"} {
		if err := os.Mkdir(filepath.Join(root, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	a, err := sim.New(t.Context(), sim.Config{NodeName: "n", KubeletRoot: root, CDIDir: filepath.Join(root, "cdi"), HostRoot: root, Client: fake.NewClientset()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close(context.WithoutCancel(t.Context())) })
	if err := a.Start(t.Context(), spec.DriverConfig{Name: "d.example.com", Profile: profiles.OneDevice()}); err != nil {
		t.Fatal(err)
	}
	c, _ = serve(t, a.Server())
	return c, root
}

func TestDialPlugin(t *testing.T) {
	c, _ := agent(t)
	conn, err := grpc.NewClient("passthrough:///driver", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return c.DialPlugin(ctx, "n", "d.example.com") }))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	for range 3 {
		if _, err := drapb.NewDRAPluginClient(conn).NodePrepareResources(t.Context(), &drapb.NodePrepareResourcesRequest{}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.DialPlugin(t.Context(), "n", "other.example.com"); err == nil || !strings.Contains(err.Error(), "[d.example.com]") {
		t.Errorf("a driver that is not there: %v", err)
	}
}

func TestSpecs(t *testing.T) {
	c, root := agent(t)
	path := filepath.Join(root, "cdi", "a.json")
	if err := os.WriteFile(path, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := c.ListSpecs(t.Context(), &agentapi.NodeRequest{Node: "n"})
	if diff := cmp.Diff(map[string][]byte{path: []byte("{}")}, got.GetFiles()); diff != "" || err != nil {
		t.Errorf("files: %s %v", diff, err)
	}
	file := &agentapi.FileRequest{Node: "n", Path: path}
	if _, err := c.ObstructSpec(t.Context(), file); err == nil {
		t.Error("a file that is there was obstructed")
	}
	if _, err := c.RemoveSpec(t.Context(), file); err != nil {
		t.Error(err)
	}
	if _, err := c.ObstructSpec(t.Context(), file); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		t.Errorf("not obstructed: %v", err)
	}
	if _, err := c.RemoveSpec(t.Context(), &agentapi.FileRequest{Node: "n", Path: "/etc/passwd"}); err == nil {
		t.Error("another file can be removed")
	}
}
