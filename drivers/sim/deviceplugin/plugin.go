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
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/fsnotify/fsnotify"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"k8s.io/klog/v2"
	api "k8s.io/kubelet/pkg/apis/deviceplugin/v1beta1"

	"github.com/dra-conformance/dratest/framework/spec"
)

// Variable is the environment variable with a container's devices, separated by commas.
const Variable = "dratest_device_plugin"

// kubeletSocket is the kubelet's registration socket in its directory.
const kubeletSocket = "kubelet.sock"

// Plugin offers devices until Stop.
type Plugin struct {
	dir, driver string
	offer       spec.DevicePlugin

	stop    context.CancelFunc
	serving sync.WaitGroup
}

// Start registers a driver's offer with the kubelet of device plugin directory dir, and again whenever the kubelet
// restarts. Errors of later registrations go to report.
func Start(ctx context.Context, dir, driver string, offer spec.DevicePlugin, report func(error)) (*Plugin, error) {
	p := &Plugin{dir: dir, driver: driver, offer: offer}
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("watch for kubelet restarts: %w", err)
	}
	if err := watcher.Add(dir); err != nil {
		return nil, errors.Join(fmt.Errorf("watch %s for kubelet restarts: %w", dir, err), watcher.Close())
	}
	ctx, p.stop = context.WithCancel(context.WithoutCancel(ctx))
	server, err := p.connect(ctx)
	if err != nil {
		p.stop()
		return nil, errors.Join(err, watcher.Close())
	}
	p.serving.Go(func() {
		defer func() { _ = watcher.Close() }()
		p.run(ctx, watcher.Events, server, report)
	})
	return p, nil
}

// Stop ends the offer; the kubelet then counts none of the devices.
func (p *Plugin) Stop() {
	p.stop()
	p.serving.Wait()
}

// run registers again when the kubelet's socket is recreated: a starting kubelet removes all other sockets.
func (p *Plugin) run(ctx context.Context, events <-chan fsnotify.Event, server *grpc.Server, report func(error)) {
	defer func() { server.Stop() }()
	for {
		select {
		case <-ctx.Done():
			return
		case event := <-events:
			if !event.Has(fsnotify.Create) || filepath.Base(event.Name) != kubeletSocket {
				continue
			}
			server.Stop()
			next, err := p.connect(ctx)
			switch {
			case err == nil:
				server = next
			case ctx.Err() == nil: // else Stop came in between
				report(fmt.Errorf("register again after the kubelet has restarted: %w", err))
			}
		}
	}
}

// connect opens the plugin's socket and registers it.
func (p *Plugin) connect(ctx context.Context) (*grpc.Server, error) {
	if err := RemoveSocket(p.dir, p.driver); err != nil {
		return nil, err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "unix", filepath.Join(p.dir, socket(p.driver)))
	if err != nil {
		return nil, fmt.Errorf("open device plugin socket: %w", err)
	}
	server := grpc.NewServer()
	api.RegisterDevicePluginServer(server, &service{ids: p.offer.Devices, done: ctx.Done()})
	p.serving.Go(func() { _ = server.Serve(listener) }) // it ends with an error when the server is stopped
	if err := p.register(ctx); err != nil {
		server.Stop()
		return nil, err
	}
	klog.FromContext(ctx).V(2).Info("Registered device plugin", "driver", p.driver, "resource", p.offer.Resource)
	return server, nil
}

func (p *Plugin) register(ctx context.Context) error {
	conn, err := grpc.NewClient("unix:"+filepath.Join(p.dir, kubeletSocket), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return fmt.Errorf("connect to the kubelet: %w", err)
	}
	defer func() { _ = conn.Close() }()
	request := &api.RegisterRequest{Version: api.Version, Endpoint: socket(p.driver), ResourceName: p.offer.Resource}
	if _, err := api.NewRegistrationClient(conn).Register(ctx, request, grpc.WaitForReady(true)); err != nil {
		return fmt.Errorf("register device plugin for %s: %w", p.offer.Resource, err)
	}
	return nil
}

// RemoveSocket removes the leftover socket of a driver's plugin; a missing one is no error.
func RemoveSocket(dir, driver string) error {
	if err := os.Remove(filepath.Join(dir, socket(driver))); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove device plugin socket: %w", err)
	}
	return nil
}

func socket(driver string) string { return "dratest-" + driver + ".sock" }

type service struct {
	api.UnimplementedDevicePluginServer
	ids  []string
	done <-chan struct{}
}

// GetDevicePluginOptions enables no optional calls.
func (s *service) GetDevicePluginOptions(context.Context, *api.Empty) (*api.DevicePluginOptions, error) {
	return &api.DevicePluginOptions{}, nil
}

// ListAndWatch lists the devices, all healthy, once: they do not change.
func (s *service) ListAndWatch(_ *api.Empty, stream grpc.ServerStreamingServer[api.ListAndWatchResponse]) error {
	list := &api.ListAndWatchResponse{}
	for _, id := range s.ids {
		list.Devices = append(list.Devices, &api.Device{ID: id, Health: api.Healthy})
	}
	if err := stream.Send(list); err != nil {
		return fmt.Errorf("list devices: %w", err)
	}
	select {
	case <-s.done:
	case <-stream.Context().Done():
	}
	return nil
}

// Allocate tells each container of its devices.
func (s *service) Allocate(_ context.Context, request *api.AllocateRequest) (*api.AllocateResponse, error) {
	response := &api.AllocateResponse{}
	for _, container := range request.GetContainerRequests() {
		response.ContainerResponses = append(response.ContainerResponses, &api.ContainerAllocateResponse{
			Envs: map[string]string{Variable: strings.Join(container.GetDevicesIds(), ",")},
		})
	}
	return response, nil
}
