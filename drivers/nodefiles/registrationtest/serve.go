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

package registrationtest

import (
	"context"
	"net"
	"path/filepath"

	"google.golang.org/grpc"
	registerapi "k8s.io/kubelet/pkg/apis/pluginregistration/v1"
)

type registrar struct {
	registerapi.UnimplementedRegistrationServer

	info *registerapi.PluginInfo
	// registered receives the kubelet's notifications, if set.
	registered chan<- bool
}

func (r registrar) NotifyRegistrationStatus(_ context.Context, s *registerapi.RegistrationStatus) (*registerapi.RegistrationStatusResponse, error) {
	if r.registered != nil {
		r.registered <- s.GetPluginRegistered()
	}
	return &registerapi.RegistrationStatusResponse{}, nil
}

func (r registrar) GetInfo(context.Context, *registerapi.InfoRequest) (*registerapi.PluginInfo, error) {
	return r.info, nil
}

// Serve opens the sockets of a driver in a directory, until the process ends. It panics on errors.
func Serve(dir, driver string) {
	endpoint := filepath.Join(dir, driver+".plugin")
	serve(endpoint, grpc.NewServer())
	Register(filepath.Join(dir, driver+"-reg.sock"), driver, endpoint)
}

// Await opens a registration socket and returns the kubelet's notifications.
func Await(socket, driver, endpoint string) (registered <-chan bool, stop func()) {
	notified := make(chan bool, 10)
	server := grpc.NewServer()
	registerapi.RegisterRegistrationServer(server, registrar{info: &registerapi.PluginInfo{Type: registerapi.DRAPlugin, Name: driver, Endpoint: endpoint}, registered: notified})
	serve(socket, server)
	return notified, server.Stop
}

// Register opens a registration socket with an endpoint and its services.
func Register(socket, driver, endpoint string, services ...string) (stop func()) {
	server := grpc.NewServer()
	registerapi.RegisterRegistrationServer(server, registrar{info: &registerapi.PluginInfo{Type: registerapi.DRAPlugin, Name: driver, Endpoint: endpoint, SupportedVersions: services}})
	serve(socket, server)
	return server.Stop
}

func serve(socket string, server *grpc.Server) {
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "unix", socket)
	if err != nil {
		panic(err)
	}
	go func() { _ = server.Serve(listener) }()
}
