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
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	csipb "github.com/container-storage-interface/spec/lib/go/csi"
	"google.golang.org/grpc"
	registerapi "k8s.io/kubelet/pkg/apis/pluginregistration/v1"
)

const (
	// version is a CSI version known by all kubelets.
	version = "1.0.0"
	// patience bounds the wait for pending calls at the driver's end.
	patience = 5 * time.Second
)

// Driver is registered until Stop.
type Driver struct {
	registerapi.UnimplementedRegistrationServer
	csipb.UnimplementedNodeServer

	name, node, endpoint string
	servers              []*grpc.Server
	serving              sync.WaitGroup
	answers              chan error // of the kubelet
}

// Start opens a driver's endpoint in a directory of its own and its registration socket, and returns once the kubelet
// has registered or rejected it.
func Start(ctx context.Context, registry, dir, name, node string) (*Driver, error) {
	d := &Driver{name: name, node: node, endpoint: filepath.Join(dir, socket), answers: make(chan error, 1)}
	err := RemoveSockets(registry, dir, name)
	if err == nil {
		err = d.serve(ctx, d.endpoint, func(s *grpc.Server) { csipb.RegisterNodeServer(s, d) })
	}
	if err == nil {
		err = d.serve(ctx, registration(registry, name), func(s *grpc.Server) { registerapi.RegisterRegistrationServer(s, d) })
	}
	if err == nil {
		err = d.registered(ctx)
	}
	if err != nil {
		d.Stop()
		return nil, fmt.Errorf("CSI driver %s: %w", name, err)
	}
	return d, nil
}

// Stop closes and removes the sockets; thereby the kubelet unregisters the driver.
func (d *Driver) Stop() {
	for _, s := range d.servers {
		late := time.AfterFunc(patience, s.Stop)
		s.GracefulStop() // the kubelet waits for an answer to its refusal
		late.Stop()
	}
	d.serving.Wait()
}

func (d *Driver) serve(ctx context.Context, path string, register func(*grpc.Server)) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "unix", path)
	if err != nil {
		return fmt.Errorf("open a socket: %w", err)
	}
	s := grpc.NewServer()
	register(s)
	d.servers = append(d.servers, s)
	d.serving.Go(func() { _ = s.Serve(listener) }) // it ends with an error when the server is stopped
	return nil
}

func (d *Driver) registered(ctx context.Context) error {
	select {
	case err := <-d.answers:
		return err
	case <-ctx.Done():
		return fmt.Errorf("wait for the kubelet to register it: %w", context.Cause(ctx))
	}
}

// GetInfo implements the registration API.
func (d *Driver) GetInfo(context.Context, *registerapi.InfoRequest) (*registerapi.PluginInfo, error) {
	return &registerapi.PluginInfo{Type: registerapi.CSIPlugin, Name: d.name, Endpoint: d.endpoint, SupportedVersions: []string{version}}, nil
}

// NotifyRegistrationStatus implements the registration API. Only the first status is waited for.
func (d *Driver) NotifyRegistrationStatus(_ context.Context, status *registerapi.RegistrationStatus) (*registerapi.RegistrationStatusResponse, error) {
	var err error
	if !status.GetPluginRegistered() {
		err = fmt.Errorf("the kubelet has refused it: %s", status.GetError())
	}
	select {
	case d.answers <- err:
	default:
	}
	return &registerapi.RegistrationStatusResponse{}, nil
}

// NodeGetInfo implements the only call of a kubelet registering a CSI driver.
func (d *Driver) NodeGetInfo(context.Context, *csipb.NodeGetInfoRequest) (*csipb.NodeGetInfoResponse, error) {
	return &csipb.NodeGetInfoResponse{NodeId: d.node}, nil
}

const socket = "csi.sock"

func registration(registry, name string) string {
	return filepath.Join(registry, name+"-csi-reg.sock")
}

// RemoveSockets removes leftover sockets of a driver; missing ones are no error.
func RemoveSockets(registry, dir, name string) error {
	var errs []error
	for _, path := range []string{registration(registry, name), filepath.Join(dir, socket)} {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, fmt.Errorf("remove socket of a CSI driver: %w", err))
		}
	}
	return errors.Join(errs...)
}
