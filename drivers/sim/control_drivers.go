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

package sim

import (
	"context"
	"fmt"
	"io"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/dra-conformance/dratest/drivers/nodefiles"
	"github.com/dra-conformance/dratest/drivers/sim/host"
	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Ready implements agentapi.AgentServer.
func (control) Ready(context.Context, *emptypb.Empty) (*emptypb.Empty, error) { return done(nil) }

// StartDriver implements agentapi.AgentServer.
func (c control) StartDriver(ctx context.Context, r *agentapi.DriverSpec) (*emptypb.Empty, error) {
	var config spec.DriverConfig
	if err := decode(r.Json, &config); err != nil {
		return nil, err
	}
	if config.Name != r.Driver {
		return nil, fmt.Errorf("%w: the request names driver %q, its configuration %q", ErrInvalid, r.Driver, config.Name)
	}
	return done(c.Start(ctx, config))
}

// ChangeDriver implements agentapi.AgentServer.
func (c control) ChangeDriver(ctx context.Context, r *agentapi.DriverSpec) (*emptypb.Empty, error) {
	var change spec.DriverChange
	if err := decode(r.Json, &change); err != nil {
		return nil, err
	}
	return done(c.Change(ctx, r.Driver, change))
}

// GetDriverStatus implements agentapi.AgentServer.
func (c control) GetDriverStatus(_ context.Context, r *agentapi.DriverRequest) (*agentapi.JSON, error) {
	return encode(c.Status(r.Driver))
}

// ListDrivers implements agentapi.AgentServer.
func (c control) ListDrivers(context.Context, *agentapi.NodeRequest) (*agentapi.Names, error) {
	return &agentapi.Names{Names: c.Drivers()}, nil
}

// StopDriver implements agentapi.AgentServer.
func (c control) StopDriver(ctx context.Context, r *agentapi.DriverRequest) (*emptypb.Empty, error) {
	return done(c.Stop(ctx, r.Driver))
}

// StartProxy implements agentapi.AgentServer.
func (c control) StartProxy(ctx context.Context, r *agentapi.DriverSpec) (*emptypb.Empty, error) {
	var config spec.Proxy
	if err := decode(r.Json, &config); err != nil {
		return nil, err
	}
	return done(c.startProxy(ctx, r.Driver, config))
}

// GetProxyStatus implements agentapi.AgentServer.
func (c control) GetProxyStatus(_ context.Context, r *agentapi.DriverRequest) (*agentapi.JSON, error) {
	return encode(c.proxyStatus(r.Driver))
}

// StopProxy implements agentapi.AgentServer.
func (c control) StopProxy(_ context.Context, r *agentapi.DriverRequest) (*emptypb.Empty, error) {
	return done(c.stopProxy(r.Driver))
}

// KillPlugin implements agentapi.AgentServer.
func (c control) KillPlugin(ctx context.Context, r *agentapi.DriverRequest) (*emptypb.Empty, error) {
	return done(host.KillPlugin(ctx, c.config.registryDir(), c.config.HostRoot, r.Driver))
}

// ListRegistrations implements agentapi.AgentServer.
func (c control) ListRegistrations(ctx context.Context, _ *agentapi.NodeRequest) (*agentapi.JSON, error) {
	return encode(nodefiles.Sockets(ctx, c.config.registryDir(), c.config.HostRoot))
}

// ConnectPlugin implements agentapi.AgentServer: it forwards until either side closes.
func (c control) ConnectPlugin(stream grpc.BidiStreamingServer[agentapi.Chunk, agentapi.Chunk]) error {
	first, err := stream.Recv()
	if err == nil {
		err = c.check(first)
	}
	if err != nil {
		return err
	}
	plugin, err := host.DialPlugin(stream.Context(), c.config.registryDir(), c.config.HostRoot, first.Driver)
	if err != nil {
		return err
	}
	defer func() { _ = plugin.Close() }()
	if err := stream.Send(&agentapi.Chunk{}); err != nil {
		return err
	}
	caller := &agentapi.Pipe{Stream: stream}
	go func() { // ends with the stream
		_, _ = io.Copy(plugin, caller)
		_ = plugin.Close()
	}()
	_, _ = io.Copy(caller, plugin)
	return nil
}
