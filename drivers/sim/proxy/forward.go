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

package proxy

import (
	"context"
	"slices"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	drapb "k8s.io/kubelet/pkg/apis/dra/v1"
	drapbv1beta1 "k8s.io/kubelet/pkg/apis/dra/v1beta1"
	registerapi "k8s.io/kubelet/pkg/apis/pluginregistration/v1"

	"github.com/dra-conformance/dratest/drivers/nodefiles"
	"github.com/dra-conformance/dratest/framework/spec"
)

type registrarServer struct {
	registerapi.UnimplementedRegistrationServer

	proxy *Proxy
	info  *registerapi.PluginInfo
}

// GetInfo implements registerapi.RegistrationServer.
func (r *registrarServer) GetInfo(context.Context, *registerapi.InfoRequest) (*registerapi.PluginInfo, error) {
	return r.info, nil
}

// NotifyRegistrationStatus implements registerapi.RegistrationServer.
func (r *registrarServer) NotifyRegistrationStatus(_ context.Context, s *registerapi.RegistrationStatus) (*registerapi.RegistrationStatusResponse, error) {
	r.proxy.mutex.Lock()
	defer r.proxy.mutex.Unlock()
	r.proxy.registered = r.proxy.registered || s.GetPluginRegistered()
	r.proxy.refusal = s.GetError()
	return &registerapi.RegistrationStatusResponse{}, nil
}

// offer makes a server forward the driver's services. Drivers older than the service name v1beta1 register versions
// instead of services, and mean v1beta1.
func (p *Proxy) offer(server *grpc.Server, services []string) {
	v1 := slices.Contains(services, drapb.DRAPluginService)
	if v1 {
		drapb.RegisterDRAPluginServer(server, &forward{proxy: p, to: drapb.NewDRAPluginClient(p.real)})
	}
	if !v1 || slices.Contains(services, drapbv1beta1.DRAPluginService) {
		drapbv1beta1.RegisterDRAPluginServer(server, &forwardOld{proxy: p, to: drapbv1beta1.NewDRAPluginClient(p.real)})
	}
}

type forward struct {
	drapb.UnimplementedDRAPluginServer

	proxy *Proxy
	to    drapb.DRAPluginClient
}

// NodePrepareResources implements drapb.DRAPluginServer.
func (f *forward) NodePrepareResources(ctx context.Context, r *drapb.NodePrepareResourcesRequest) (*drapb.NodePrepareResourcesResponse, error) {
	return forwarded(ctx, f.proxy, spec.Prepare, func() (*drapb.NodePrepareResourcesResponse, error) { return f.to.NodePrepareResources(ctx, r) })
}

// NodeUnprepareResources implements drapb.DRAPluginServer.
func (f *forward) NodeUnprepareResources(ctx context.Context, r *drapb.NodeUnprepareResourcesRequest) (*drapb.NodeUnprepareResourcesResponse, error) {
	return forwarded(ctx, f.proxy, spec.Unprepare, func() (*drapb.NodeUnprepareResourcesResponse, error) { return f.to.NodeUnprepareResources(ctx, r) })
}

type forwardOld struct {
	drapbv1beta1.UnimplementedDRAPluginServer

	proxy *Proxy
	to    drapbv1beta1.DRAPluginClient
}

// NodePrepareResources implements drapbv1beta1.DRAPluginServer.
func (f *forwardOld) NodePrepareResources(ctx context.Context, r *drapbv1beta1.NodePrepareResourcesRequest) (*drapbv1beta1.NodePrepareResourcesResponse, error) {
	return forwarded(ctx, f.proxy, spec.Prepare, func() (*drapbv1beta1.NodePrepareResourcesResponse, error) { return f.to.NodePrepareResources(ctx, r) })
}

// NodeUnprepareResources implements drapbv1beta1.DRAPluginServer.
func (f *forwardOld) NodeUnprepareResources(ctx context.Context, r *drapbv1beta1.NodeUnprepareResourcesRequest) (*drapbv1beta1.NodeUnprepareResourcesResponse, error) {
	return forwarded(ctx, f.proxy, spec.Unprepare, func() (*drapbv1beta1.NodeUnprepareResourcesResponse, error) {
		return f.to.NodeUnprepareResources(ctx, r)
	})
}

// answers are a driver's results for claims, by UID.
type answers[C interface{ GetError() string }] interface{ GetClaims() map[string]C }

// forwarded makes a call once or twice; of two results for a claim the kubelet gets the one with an error. If the
// driver is to be killed then, the caller never gets its answer, unless the kill fails; see Status.
func forwarded[R answers[C], C interface{ GetError() string }](ctx context.Context, p *Proxy, method spec.Method, call func() (R, error)) (answer R, err error) {
	answer, err = call()
	if err == nil && p.config.Proxy.Twice {
		first := answer.GetClaims()
		if answer, err = call(); err == nil {
			keepErrors(first, answer.GetClaims())
		}
	}
	if err != nil || !p.killAfter(ctx, method) {
		return answer, err
	}
	select {
	case <-p.ended:
	case <-ctx.Done():
	}
	return answer, status.Error(codes.Unavailable, spec.KilledAfterAnswer)
}

// keepErrors copies errors of the first answer into the second. A claim missing in the first is dropped.
func keepErrors[C interface{ GetError() string }](first, second map[string]C) {
	for uid, answer := range second {
		switch was, there := first[uid]; {
		case !there:
			delete(second, uid)
		case answer.GetError() == "" && was.GetError() != "":
			second[uid] = was
		}
	}
}

// killAfter kills the driver's process if requested after a call of this method and still pending, and reports
// whether it did. Errors are in Status, and the next call tries again.
func (p *Proxy) killAfter(ctx context.Context, method spec.Method) bool {
	if p.config.Proxy.KillAfter != method {
		return false
	}
	p.killing.Lock()
	defer p.killing.Unlock()
	if p.killed {
		return false
	}
	err := p.kill(ctx)
	p.killed = err == nil
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.notKilled = err
	return p.killed
}

func (p *Proxy) kill(ctx context.Context) error {
	conn, err := nodefiles.Dial(ctx, p.path, "")
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	return p.config.Kill(conn)
}
