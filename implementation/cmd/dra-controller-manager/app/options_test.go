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

package app

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"
)

// parse returns the options for arguments.
func parse(t *testing.T, args ...string) *options {
	t.Helper()
	o, err := newOptions(controllerManager())
	if err != nil {
		t.Fatal(err)
	}
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	for _, set := range o.flags().FlagSets {
		flags.AddFlagSet(set)
	}
	if err := flags.Parse(args); err != nil {
		t.Fatal(err)
	}
	return o
}

func TestAllThatIsWrongIsTold(t *testing.T) {
	_, err := parse(t, "--controllers=foo,-bar", "--concurrent-resourceclaim-syncs=0", "--concurrent-device-taint-eviction-syncs=-1",
		"--controller-shutdown-timeout=-1s", "--secure-port=99999", "--leader-elect-resource-lock=endpoints").config()
	if err == nil {
		t.Fatal("no error")
	}
	for _, part := range []string{`"foo" is not`, `"bar" is not`, "concurrent-resourceclaim-syncs must be greater than 0, got 0",
		"concurrent-device-taint-eviction-syncs must be greater than 0, got -1", "--controller-shutdown-timeout", "99999", "leases"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q is missing in: %v", part, err)
		}
	}
}

func TestDefaults(t *testing.T) {
	o := parse(t)
	if err := o.validate(); err != nil {
		t.Error(err)
	}
	got := map[string]any{
		"lease":     o.generic.LeaderElection.ResourceNamespace + "/" + o.generic.LeaderElection.ResourceName,
		"elect":     o.generic.LeaderElection.LeaderElect,
		"claims":    *o.workers["resourceclaim-controller"],
		"evictions": *o.workers["device-taint-eviction-controller"],
		"port":      o.serving.BindPort,
		"QPS":       o.generic.ClientConnection.QPS,
		"burst":     o.generic.ClientConnection.Burst,
	}
	want := map[string]any{"lease": "kube-system/dra-controller-manager", "elect": true, "claims": 50, "evictions": 8, "port": 10257,
		"QPS": float32(50), "burst": int32(100)}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("wrong defaults:\n%s", diff)
	}
}

// kubeconfig writes a kubeconfig for an API server.
func kubeconfig(t *testing.T, server string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kubeconfig.yaml")
	content := `{apiVersion: v1, kind: Config, current-context: c, contexts: [{name: c, context: {cluster: c}}], clusters: [{name: c, cluster: {server: "` + server + `"}}]}`
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestControllersAreChosenByName(t *testing.T) {
	for flag, want := range map[string][]string{
		"*":                            {"resourceclaim-controller", "device-taint-eviction-controller"},
		"-resource-claim-controller":   nil,
		"*,-resource-claim-controller": {"device-taint-eviction-controller"},
		"resource-claim-controller":    {"resourceclaim-controller"},
	} {
		c, err := parse(t, "--controllers="+flag, "--kubeconfig="+kubeconfig(t, "https://127.0.0.1:1"), "--secure-port=0").config()
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, d := range c.program.chosen(c.generic.Controllers) {
			got = append(got, d.Name)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s:\n%s", flag, diff)
		}
	}
}

func TestClientSettings(t *testing.T) {
	c, err := parse(t, "--kube-api-qps=3", "--kube-api-burst=4", "--kubeconfig="+kubeconfig(t, "https://127.0.0.1:1"), "--secure-port=0").config()
	if err != nil {
		t.Fatal(err)
	}
	if c.kubeconfig.QPS != 3 || c.kubeconfig.Burst != 4 || c.kubeconfig.Host != "https://127.0.0.1:1" || c.serving != nil {
		t.Errorf("wrong settings: %v", c)
	}
	if _, err := parse(t, "--kubeconfig=missing.yaml", "--secure-port=0").config(); err == nil || !strings.Contains(err.Error(), "find the API server") {
		t.Errorf("got %v", err)
	}
}

// While the API server was down for a minute, the process crashed 15 times. A kubelet would have
// increased the restart delay each time.
func TestStartsWithoutAPIServer(t *testing.T) {
	away := kubeconfig(t, "https://127.0.0.1:1")
	o := parse(t, "--kubeconfig="+away, "--authentication-kubeconfig="+away, "--authorization-kubeconfig="+away, "--bind-address=127.0.0.1")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	o.serving.Listener, o.serving.BindPort = listener, 0
	if _, err := o.config(); err != nil {
		t.Error(err)
	}
}
