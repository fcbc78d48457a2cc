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

	"github.com/dra-conformance/dratest/drivers/registration"
	"github.com/dra-conformance/dratest/framework/spec"
)

// registrarServer registers the proxy.
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

// offer has a server forward the driver's services. Drivers from before v1beta1 was named so
// give versions instead of services, and mean v1beta1.
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

// forwarded makes a call once or twice. Where the driver is to be killed then, the caller
// never learns what it has answered.
func forwarded[R any](ctx context.Context, p *Proxy, method spec.Method, call func() (R, error)) (answer R, err error) {
	answer, err = call()
	if err == nil && p.config.Proxy.Twice {
		answer, err = call()
	}
	if err != nil || !p.kills(method) {
		return answer, err
	}
	if err := p.kill(ctx); err != nil {
		return answer, status.Errorf(codes.Internal, "kill the driver: %v", err)
	}
	select {
	case <-p.ended:
	case <-ctx.Done():
	}
	return answer, status.Error(codes.Unavailable, "the driver was killed after it had answered")
}

func (p *Proxy) kill(ctx context.Context) error {
	conn, err := registration.Dial(ctx, p.path, "")
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	return p.config.Kill(conn)
}

// kills is whether the driver is to be killed now, once.
func (p *Proxy) kills(method spec.Method) bool {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	now := p.config.Proxy.KillAfter == method && !p.killed
	p.killed = p.killed || now
	return now
}
