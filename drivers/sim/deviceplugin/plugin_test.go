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

package deviceplugin

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	api "k8s.io/kubelet/pkg/apis/deviceplugin/v1beta1"

	"github.com/dra-conformance/dratest/framework/spec"
)

type kubelet struct {
	api.UnimplementedRegistrationServer
	dir        string
	registered chan *api.RegisterRequest
	server     *grpc.Server
}

// start removes old sockets, as the kubelet does.
func (k *kubelet) start(t *testing.T) {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(k.dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range left {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", filepath.Join(k.dir, kubeletSocket))
	if err != nil {
		t.Fatal(err)
	}
	k.server = grpc.NewServer()
	api.RegisterRegistrationServer(k.server, k)
	go func() { _ = k.server.Serve(listener) }()
	t.Cleanup(k.server.Stop)
}

func (k *kubelet) Register(_ context.Context, request *api.RegisterRequest) (*api.Empty, error) {
	k.registered <- request
	return &api.Empty{}, nil
}

// plugin waits for a registration and connects to the plugin.
func (k *kubelet) plugin(t *testing.T) (*api.RegisterRequest, api.DevicePluginClient) {
	t.Helper()
	select {
	case request := <-k.registered:
		conn, err := grpc.NewClient("unix:"+filepath.Join(k.dir, request.GetEndpoint()), grpc.WithTransportCredentials(insecure.NewCredentials()))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		return request, api.NewDevicePluginClient(conn)
	case <-time.After(10 * time.Second):
		t.Fatal("nobody registered within 10 s")
		return nil, nil
	}
}

func devices(t *testing.T, client api.DevicePluginClient) string {
	t.Helper()
	stream, err := client.ListAndWatch(t.Context(), &api.Empty{})
	if err != nil {
		t.Fatal(err)
	}
	list, err := stream.Recv()
	if err != nil {
		t.Fatal(err)
	}
	var seen []string
	for _, d := range list.GetDevices() {
		seen = append(seen, d.GetID()+":"+d.GetHealth())
	}
	return strings.Join(seen, " ")
}

// A starting kubelet removes all sockets: plugins must register again by themselves.
func TestPluginComesAgainAfterARestartOfTheKubelet(t *testing.T) {
	k := &kubelet{dir: t.TempDir(), registered: make(chan *api.RegisterRequest, 10)}
	k.start(t)
	offer := spec.DevicePlugin{Resource: "example.com/gpu", Devices: []string{"a", "b"}}
	plugin, err := Start(t.Context(), k.dir, "sim.example.com", offer, func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	defer plugin.Stop()
	request, client := k.plugin(t)
	if request.GetResourceName() != "example.com/gpu" || request.GetVersion() != "v1beta1" {
		t.Errorf("got %v", request)
	}
	if got := devices(t, client); got != "a:Healthy b:Healthy" {
		t.Errorf("got %s", got)
	}

	k.server.Stop()
	k.start(t)
	_, client = k.plugin(t)
	if got := devices(t, client); got != "a:Healthy b:Healthy" {
		t.Errorf("after the restart: %s", got)
	}
	answer, err := client.Allocate(t.Context(), &api.AllocateRequest{ContainerRequests: []*api.ContainerAllocateRequest{{DevicesIds: []string{"a", "b"}}}})
	if err != nil || len(answer.GetContainerResponses()) != 1 || answer.GetContainerResponses()[0].GetEnvs()[Variable] != "a,b" {
		t.Errorf("got %v, %v", answer, err)
	}
}

func TestStopRemovesTheSocket(t *testing.T) {
	k := &kubelet{dir: t.TempDir(), registered: make(chan *api.RegisterRequest, 10)}
	k.start(t)
	plugin, err := Start(t.Context(), k.dir, "sim.example.com", spec.DevicePlugin{Resource: "example.com/gpu"}, func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	_, client := k.plugin(t)
	plugin.Stop()
	if _, err := client.GetDevicePluginOptions(t.Context(), &api.Empty{}); err == nil {
		t.Error("the plugin still answers")
	}
	if left, err := filepath.Glob(filepath.Join(k.dir, "dratest-*")); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

func TestWithoutKubelet(t *testing.T) {
	if _, err := Start(t.Context(), filepath.Join(t.TempDir(), "missing"), "d", spec.DevicePlugin{Resource: "r"}, nil); err == nil {
		t.Error("no error")
	}
}
