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

package kubelet_test

import (
	"context"
	"fmt"
	"net"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"golang.org/x/sync/errgroup"
	"google.golang.org/grpc"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/klog/v2"
	drav1 "k8s.io/kubelet/pkg/apis/dra/v1"
	"k8s.io/kubernetes/pkg/kubelet/cm/dra"

	"github.com/dra-conformance/dratest/implementation/kubelet"
)

type preparer struct {
	register           func(ctx context.Context, socket string) error
	prepare, unprepare func(ctx context.Context, pod *corev1.Pod) error
}

func stockPreparer(ctx context.Context, dir string, client *fake.Clientset) (preparer, error) {
	m, err := dra.NewManager(klog.FromContext(ctx), client, dir)
	if err != nil {
		return preparer{}, err
	}
	if err := m.Start(ctx, nobody, noNode, ready{}); err != nil {
		return preparer{}, err
	}
	return preparer{
		register: func(ctx context.Context, socket string) error {
			return m.GetWatcherHandler().RegisterPlugin(ctx, "driver", socket, []string{drav1.DRAPluginService}, nil)
		},
		prepare: m.PrepareResources, unprepare: m.UnprepareResources,
	}, nil
}

func ownPreparer(ctx context.Context, dir string, client *fake.Clientset) (preparer, error) {
	m, err := kubelet.New(ctx, kubelet.Config{StateDir: dir, Client: client})
	if err != nil {
		return preparer{}, err
	}
	if err := m.Start(ctx, nobody, noNode, ready{}); err != nil {
		return preparer{}, err
	}
	return preparer{
		register: func(ctx context.Context, socket string) error {
			return m.RegisterPlugin(ctx, "driver", socket, []string{drav1.DRAPluginService}, nil)
		},
		prepare: m.Prepare, unprepare: m.Unprepare,
	}, nil
}

type newPreparer func(ctx context.Context, dir string, client *fake.Clientset) (preparer, error)

type ready struct{}

func (ready) AllReady() bool   { return true }
func (ready) AddSource(string) {}
func nobody() []*corev1.Pod    { return nil }
func noNode(context.Context) (*corev1.Node, error) {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}}, nil
}

// plugin is a driver taking a millisecond to prepare.
type plugin struct {
	drav1.UnimplementedDRAPluginServer
}

func (plugin) NodePrepareResources(_ context.Context, r *drav1.NodePrepareResourcesRequest) (*drav1.NodePrepareResourcesResponse, error) {
	time.Sleep(time.Millisecond)
	answer := &drav1.NodePrepareResourcesResponse{Claims: map[string]*drav1.NodePrepareResourceResponse{}}
	for _, c := range r.Claims {
		answer.Claims[c.Uid] = &drav1.NodePrepareResourceResponse{Devices: []*drav1.Device{
			{PoolName: "p", DeviceName: c.Name, RequestNames: []string{"r"}, CdiDeviceIds: []string{"driver/class=" + c.Name}}}}
	}
	return answer, nil
}

func (plugin) NodeUnprepareResources(_ context.Context, r *drav1.NodeUnprepareResourcesRequest) (*drav1.NodeUnprepareResourcesResponse, error) {
	answer := &drav1.NodeUnprepareResourcesResponse{Claims: map[string]*drav1.NodeUnprepareResourceResponse{}}
	for _, c := range r.Claims {
		answer.Claims[c.Uid] = &drav1.NodeUnprepareResourceResponse{}
	}
	return answer, nil
}

// BenchmarkPrepare starts 100 pods with a claim each, with limited concurrency and a driver taking
// a millisecond. ms/pod is the latency of a pod.
func BenchmarkPrepare(b *testing.B) {
	managers := map[string]newPreparer{"stock": stockPreparer, "own": ownPreparer}
	for _, name := range []string{"stock", "own"} {
		for _, atOnce := range []int{1, 10, 100} {
			b.Run(fmt.Sprintf("%s/%d", name, atOnce), func(b *testing.B) {
				klog.SetLogger(logr.Discard())
				pods, objects := podsWithClaims(100)
				dir := b.TempDir()
				p, err := managers[name](b.Context(), dir, fake.NewClientset(objects...))
				if err != nil {
					b.Fatal(err)
				}
				if err := p.register(b.Context(), servePlugin(b, dir)); err != nil {
					b.Fatal(err)
				}
				var waited time.Duration
				rounds := 0
				for b.Loop() {
					waited += each(b, pods, atOnce, p.prepare)
					b.StopTimer()
					each(b, pods, atOnce, p.unprepare)
					b.StartTimer()
					rounds++
				}
				b.ReportMetric(waited.Seconds()*1000/float64(rounds*len(pods)), "ms/pod")
			})
		}
	}
}

func podsWithClaims(n int) (pods []*corev1.Pod, claims []runtime.Object) {
	for i := range n {
		name := fmt.Sprint("pod-", i)
		pods = append(pods, &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, UID: types.UID(name)},
			Spec:       corev1.PodSpec{ResourceClaims: []corev1.PodResourceClaim{{Name: "c", ResourceClaimName: &name}}},
		})
		claims = append(claims, &resourceapi.ResourceClaim{
			ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, UID: types.UID("claim-" + name)},
			Status: resourceapi.ResourceClaimStatus{
				Allocation: &resourceapi.AllocationResult{Devices: resourceapi.DeviceAllocationResult{
					Results: []resourceapi.DeviceRequestAllocationResult{{Request: "r", Driver: "driver", Pool: "p", Device: name}}}},
				ReservedFor: []resourceapi.ResourceClaimConsumerReference{{Resource: "pods", Name: name, UID: types.UID(name)}},
			},
		})
	}
	return pods, claims
}

func servePlugin(b *testing.B, dir string) string {
	socket := filepath.Join(dir, "driver.sock")
	listener, err := (&net.ListenConfig{}).Listen(b.Context(), "unix", socket)
	if err != nil {
		b.Fatal(err)
	}
	server := grpc.NewServer()
	drav1.RegisterDRAPluginServer(server, plugin{})
	go func() { _ = server.Serve(listener) }()
	b.Cleanup(server.Stop)
	return socket
}

// each runs do for all pods, and returns the sum of their durations.
func each(b *testing.B, pods []*corev1.Pod, atOnce int, do func(context.Context, *corev1.Pod) error) time.Duration {
	var total atomic.Int64
	var group errgroup.Group
	group.SetLimit(atOnce)
	for _, pod := range pods {
		group.Go(func() error {
			began := time.Now()
			defer func() { total.Add(int64(time.Since(began))) }()
			return do(b.Context(), pod)
		})
	}
	if err := group.Wait(); err != nil {
		b.Fatal(err)
	}
	return time.Duration(total.Load())
}
