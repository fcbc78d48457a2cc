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

package host

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/grpc"
	cri "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// sandboxes is a container runtime with a sandbox, which it fails to stop.
type sandboxes struct {
	cri.UnimplementedRuntimeServiceServer
	after cri.PodSandboxState
}

func (s *sandboxes) ListPodSandbox(context.Context, *cri.ListPodSandboxRequest) (*cri.ListPodSandboxResponse, error) {
	return &cri.ListPodSandboxResponse{Items: []*cri.PodSandbox{{Id: "a"}}}, nil
}

func (s *sandboxes) StopPodSandbox(context.Context, *cri.StopPodSandboxRequest) (*cri.StopPodSandboxResponse, error) {
	return nil, errors.New("failed to destroy network")
}

func (s *sandboxes) PodSandboxStatus(context.Context, *cri.PodSandboxStatusRequest) (*cri.PodSandboxStatusResponse, error) {
	return &cri.PodSandboxStatusResponse{Status: &cri.PodSandboxStatus{State: s.after}}, nil
}

// Under load the kubelet stopped the sandbox at the same time, and containerd failed to remove the network a second time.
func TestStopSandboxStoppedByTheKubelet(t *testing.T) {
	for state, problem := range map[cri.PodSandboxState]string{
		cri.PodSandboxState_SANDBOX_NOTREADY: "",
		cri.PodSandboxState_SANDBOX_READY:    "failed to destroy network",
	} {
		root, err := os.MkdirTemp("", "cri") // the path of a socket must be short
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.RemoveAll(root) })
		socket := filepath.Join(root, runtimes()["containerd"])
		if err := os.MkdirAll(filepath.Dir(socket), 0o750); err != nil {
			t.Fatal(err)
		}
		listener, err := net.Listen("unix", socket)
		if err != nil {
			t.Fatal(err)
		}
		server := grpc.NewServer()
		cri.RegisterRuntimeServiceServer(server, &sandboxes{after: state})
		go func() { _ = server.Serve(listener) }()
		t.Cleanup(server.Stop)
		err = StopSandbox(t.Context(), root, "default", "pod")
		if problem == "" && err != nil || problem != "" && (err == nil || !strings.Contains(err.Error(), problem)) {
			t.Errorf("%s: got %v", state, err)
		}
	}
}
