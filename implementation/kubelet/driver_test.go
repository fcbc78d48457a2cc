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
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"k8s.io/apimachinery/pkg/util/sets"
	healthv1 "k8s.io/kubelet/pkg/apis/dra-health/v1"
	healthv1alpha1 "k8s.io/kubelet/pkg/apis/dra-health/v1alpha1"
	drav1 "k8s.io/kubelet/pkg/apis/dra/v1"
	drav1beta1 "k8s.io/kubelet/pkg/apis/dra/v1beta1"

	"github.com/dra-conformance/dratest/implementation/kubelet"
)

// driver is the kubelet plugin of a DRA driver behind a real socket. It has one device per claim,
// and writes a CDI spec for it in the world's directory.
type driver struct {
	t                    *testing.T
	name, socket, cdiDir string
	server               *grpc.Server

	mu sync.Mutex
	// calls are "+claim claim" and "-claim", in order.
	calls []string
	// prepared are the driver's prepared claims.
	prepared sets.Set[string]
	// prepare and unprepare replace the usual answer. They are called without lock.
	prepare   func(context.Context, *drav1.NodePrepareResourcesRequest) (*drav1.NodePrepareResourcesResponse, error)
	unprepare func(context.Context, *drav1.NodeUnprepareResourcesRequest) (*drav1.NodeUnprepareResourcesResponse, error)
	// reports are sent to health watchers.
	reports chan *healthv1.NodeWatchResourcesResponse
	watch   func() error
}

// newDriver starts a driver with its own socket. It outlives the kubelet.
func (w *world) newDriver(name string) *driver {
	w.t.Helper()
	d := &driver{t: w.t, name: name, socket: w.socket(name), cdiDir: w.cdiDir, prepared: sets.New[string](),
		reports: make(chan *healthv1.NodeWatchResourcesResponse)}
	d.serve()
	w.t.Cleanup(func() {
		w.stop()
		d.stop()
	})
	return d
}

// serve starts a server, as after a driver restart.
func (d *driver) serve() {
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "unix", d.socket)
	if err != nil {
		d.t.Fatal(err)
	}
	d.server = grpc.NewServer()
	drav1.RegisterDRAPluginServer(d.server, v1Plugin{driver: d})
	drav1beta1.RegisterDRAPluginServer(d.server, drav1beta1.V1ServerWrapper{DRAPluginServer: v1Plugin{driver: d}})
	healthv1.RegisterDRAResourceHealthServer(d.server, health{driver: d})
	healthv1alpha1.RegisterDRAResourceHealthServer(d.server, healthv1.V1ServerWrapper{Server: health{driver: d}})
	go func() { _ = d.server.Serve(listener) }()
}

func (d *driver) stop() { d.server.Stop() }

// seen returns the calls so far and clears them.
func (d *driver) seen() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	calls := strings.Join(d.calls, ", ")
	d.calls = nil
	return calls
}

func (d *driver) holds() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return sets.List(d.prepared)
}

type prepareFunc = func(context.Context, *drav1.NodePrepareResourcesRequest) (*drav1.NodePrepareResourcesResponse, error)

// onPrepare replaces the answer; nil restores the usual one.
func (d *driver) onPrepare(answer prepareFunc) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.prepare = answer
}

func (d *driver) onUnprepare(answer func(context.Context, *drav1.NodeUnprepareResourcesRequest) (*drav1.NodeUnprepareResourcesResponse, error)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.unprepare = answer
}

func (d *driver) log(sign string, claims []*drav1.Claim) {
	names := make([]string, 0, len(claims))
	for _, claim := range claims {
		names = append(names, claim.Name)
	}
	d.calls = append(d.calls, sign+strings.Join(names, " "))
}

// usual prepares claims like a correct driver.
func (d *driver) usual(request *drav1.NodePrepareResourcesRequest) *drav1.NodePrepareResourcesResponse {
	d.mu.Lock()
	defer d.mu.Unlock()
	response := &drav1.NodePrepareResourcesResponse{Claims: make(map[string]*drav1.NodePrepareResourceResponse)}
	for _, claim := range request.Claims {
		d.prepared.Insert(claim.Name)
		id := d.name + "/class=" + claim.Name
		d.writeSpec(claim.Name)
		response.Claims[claim.Uid] = &drav1.NodePrepareResourceResponse{Devices: []*drav1.Device{
			{PoolName: "pool", DeviceName: "dev-" + claim.Name, RequestNames: []string{"req"}, CdiDeviceIds: []string{id}}}}
	}
	return response
}

// writeSpec ignores errors: a missing directory is not the driver's fault.
func (d *driver) writeSpec(claim string) {
	spec := `{"cdiVersion": "0.6.0", "kind": "` + d.name + `/class", "devices": [{"name": "` + claim + `", "containerEdits": {"env": ["A=B"]}}]}`
	_ = os.WriteFile(filepath.Join(d.cdiDir, d.name+"-"+claim+".json"), []byte(spec), 0o600)
}

type v1Plugin struct {
	drav1.UnimplementedDRAPluginServer
	*driver
}

func (p v1Plugin) NodePrepareResources(ctx context.Context, request *drav1.NodePrepareResourcesRequest) (*drav1.NodePrepareResourcesResponse, error) {
	p.mu.Lock()
	p.log("+", request.Claims)
	answer := p.prepare
	p.mu.Unlock()
	if answer != nil {
		return answer(ctx, request)
	}
	return p.usual(request), nil
}

func (p v1Plugin) NodeUnprepareResources(ctx context.Context, request *drav1.NodeUnprepareResourcesRequest) (*drav1.NodeUnprepareResourcesResponse, error) {
	p.mu.Lock()
	p.log("-", request.Claims)
	answer := p.unprepare
	p.mu.Unlock()
	if answer != nil {
		return answer(ctx, request)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	response := &drav1.NodeUnprepareResourcesResponse{Claims: make(map[string]*drav1.NodeUnprepareResourceResponse)}
	for _, claim := range request.Claims {
		p.prepared.Delete(claim.Name)
		_ = os.Remove(filepath.Join(p.cdiDir, p.name+"-"+claim.Name+".json"))
		response.Claims[claim.Uid] = &drav1.NodeUnprepareResourceResponse{}
	}
	return response, nil
}

type health struct {
	healthv1.UnimplementedDRAResourceHealthServer
	*driver
}

func (h health) NodeWatchResources(_ *healthv1.NodeWatchResourcesRequest, stream healthv1.DRAResourceHealth_NodeWatchResourcesServer) error {
	h.mu.Lock()
	watch, reports := h.watch, h.reports
	h.mu.Unlock()
	if watch != nil {
		return watch()
	}
	for {
		select {
		case report, ok := <-reports:
			if !ok {
				return nil
			}
			if err := stream.Send(report); err != nil {
				return err
			}
		case <-stream.Context().Done():
			return nil
		}
	}
}

func (w *world) register(d *driver, services ...string) {
	w.t.Helper()
	if len(services) == 0 {
		services = []string{drav1.DRAPluginService}
	}
	if err := w.manager.RegisterPlugin(w.ctx, d.name, d.socket, services, w.timeout); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) driver(name string, services ...string) *driver {
	w.t.Helper()
	d := w.newDriver(name)
	w.register(d, services...)
	return d
}

func (w *world) socket(name string) string {
	dir, err := os.MkdirTemp("", "dra")
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return filepath.Join(dir, name+".sock")
}

var _ kubelet.Metrics = &counters{}

type counters struct {
	mu   sync.Mutex
	seen map[string]int
}

func (c *counters) add(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.seen == nil {
		c.seen = make(map[string]int)
	}
	c.seen[key]++
}

func (c *counters) get(key string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.seen[key]
}

func (c *counters) Operation(name string, isError bool, _ time.Duration) {
	if isError {
		name += " failed"
	}
	c.add(name)
}

func (c *counters) Call(driver, method, code string, _ time.Duration) {
	c.add(driver + " " + method + " " + code)
}
func (c *counters) PrepareSkipped(driver string)   { c.add("prepare skipped " + driver) }
func (c *counters) UnprepareSkipped(driver string) { c.add("unprepare skipped " + driver) }
