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

package csi

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	csipb "github.com/container-storage-interface/spec/lib/go/csi"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	registerapi "k8s.io/kubelet/pkg/apis/pluginregistration/v1"
)

// kubelet plays a kubelet with a socket appearing in its registry: it gets the plugin's info, calls the endpoint, and
// reports the status.
func kubelet(t *testing.T, registry, refusal string) (name, node string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	registration := registerapi.NewRegistrationClient(dial(t, filepath.Join(registry, "sim.example.com-csi-reg.sock")))
	info, err := registration.GetInfo(ctx, &registerapi.InfoRequest{}, grpc.WaitForReady(true))
	if err != nil {
		t.Fatal(err)
	}
	if info.GetType() != "CSIPlugin" || len(info.GetSupportedVersions()) == 0 {
		t.Errorf("got %v", info)
	}
	reported, err := csipb.NewNodeClient(dial(t, info.GetEndpoint())).NodeGetInfo(ctx, &csipb.NodeGetInfoRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := registration.NotifyRegistrationStatus(ctx, &registerapi.RegistrationStatus{PluginRegistered: refusal == "", Error: refusal}); err != nil {
		t.Fatal(err)
	}
	return info.GetName(), reported.GetNodeId()
}

func dial(t *testing.T, socket string) *grpc.ClientConn {
	t.Helper()
	conn, err := grpc.NewClient("unix:"+socket, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func TestDriverIsThereWhenTheKubeletHasRegisteredIt(t *testing.T) {
	for _, refusal := range []string{"", "no volumes today"} {
		registry, dir := t.TempDir(), t.TempDir()
		left := filepath.Join(dir, socket) // by a killed process
		if err := os.WriteFile(left, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		type started struct {
			driver *Driver
			err    error
		}
		done := make(chan started, 1)
		go func() {
			d, err := Start(t.Context(), registry, dir, "sim.example.com", "node-1")
			done <- started{d, err}
		}()
		if name, node := kubelet(t, registry, refusal); name != "sim.example.com" || node != "node-1" {
			t.Errorf("driver %q on node %q", name, node)
		}
		got := <-done
		switch {
		case refusal != "":
			if got.err == nil || !strings.Contains(got.err.Error(), refusal) {
				t.Errorf("refused: %v", got.err)
			}
		case got.err != nil:
			t.Fatal(got.err)
		default:
			got.driver.Stop()
		}
		for _, folder := range []string{registry, dir} {
			if files, err := os.ReadDir(folder); err != nil || len(files) > 0 {
				t.Errorf("left behind with refusal %q: %v, %v", refusal, files, err)
			}
		}
	}
}

func TestKubeletThatDoesNotCome(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := Start(ctx, t.TempDir(), t.TempDir(), "sim.example.com", "node-1"); err == nil {
		t.Error("no error")
	}
}
