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

package host_test

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	podresources "k8s.io/kubelet/pkg/apis/podresources/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/drivers/sim/host"
	"github.com/dra-conformance/dratest/framework/spec"
)

// kubelet has two pods of the same name in two namespaces.
type kubelet struct {
	podresources.UnimplementedPodResourcesListerServer
}

func pod(namespace, device string) *podresources.PodResources {
	return &podresources.PodResources{Namespace: namespace, Name: "pod", Containers: []*podresources.ContainerResources{
		{Name: "none"},
		{Name: "main", DynamicResources: []*podresources.DynamicResource{{ClaimName: "claim", ClaimNamespace: namespace, ClaimResources: []*podresources.ClaimResource{
			{DriverName: "driver", PoolName: "pool", DeviceName: device, ShareId: ptr.To("share-" + device), CdiDevices: []*podresources.CDIDevice{{Name: "a/b=" + device}}},
		}}}},
	}}
}

func (kubelet) List(context.Context, *podresources.ListPodResourcesRequest) (*podresources.ListPodResourcesResponse, error) {
	return &podresources.ListPodResourcesResponse{PodResources: []*podresources.PodResources{pod("other", "x"), pod("ns", "listed")}}, nil
}

func (kubelet) GetAllocatableResources(context.Context, *podresources.AllocatableResourcesRequest) (*podresources.AllocatableResourcesResponse, error) {
	return &podresources.AllocatableResourcesResponse{Devices: []*podresources.ContainerDevices{{ResourceName: "a.example/b", DeviceIds: []string{"plugged"}}}}, nil
}

func (kubelet) Get(_ context.Context, r *podresources.GetPodResourcesRequest) (*podresources.GetPodResourcesResponse, error) {
	return &podresources.GetPodResourcesResponse{PodResources: pod(r.GetPodNamespace(), "got")}, nil
}

func TestPodResources(t *testing.T) {
	dir, err := os.MkdirTemp("", "host") // sockets have short paths
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	socket := filepath.Join(dir, "kubelet.sock")
	if _, err := host.PodResources(t.Context(), socket, "ns", "pod"); err == nil {
		t.Error("no error without a kubelet")
	}
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer()
	podresources.RegisterPodResourcesListerServer(server, kubelet{})
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)

	got, err := host.PodResources(t.Context(), socket, "ns", "pod")

	device := func(name string) []spec.ContainerDevice {
		return []spec.ContainerDevice{{Container: "main", Namespace: "ns", Claim: "claim", Driver: "driver", Pool: "pool", Device: name, Share: "share-" + name, CDIDevices: []string{"a/b=" + name}}}
	}
	want := spec.PodResources{List: device("listed"), Get: device("got"), Containers: []string{"none", "main"}, Pods: []string{"pod"}, Allocatable: []string{"plugged"}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
}

func TestRestartNeedsSystemd(t *testing.T) {
	for _, restart := range []func(context.Context, string) error{
		host.RestartKubelet, host.RestartNode,
		func(ctx context.Context, root string) error { return host.StopKubelet(ctx, root, time.Hour) },
	} {
		if err := restart(t.Context(), t.TempDir()); err == nil || !strings.Contains(err.Error(), "the node has no system") {
			t.Errorf("got %v", err)
		}
	}
}
