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

package kubelet

import (
	"context"
	"fmt"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
	drav1 "k8s.io/kubelet/pkg/apis/dra/v1"
	drav1beta1 "k8s.io/kubelet/pkg/apis/dra/v1beta1"

	"github.com/dra-conformance/dratest/implementation/nodeplan"
)

func (m *Manager) call(ctx context.Context, step nodeplan.Call) {
	answer := m.driverAnswer(ctx, step)
	m.answer(func() { m.state.ApplyCall(step, answer) })
}

func (m *Manager) driverAnswer(ctx context.Context, call nodeplan.Call) nodeplan.Answer {
	logger := klog.FromContext(ctx)
	instance, p, err := m.pick(call.Driver)
	if err != nil {
		return nodeplan.Answer{Err: err}
	}
	logger.V(2).Info("Calling DRA driver", "method", call.Op, "driver", call.Driver, "endpoint", instance.Endpoint, "claims", call.Claims)
	limited, cancel := context.WithTimeout(ctx, instance.Timeout)
	defer cancel()
	claims, err := send(limited, client(p.conn, instance.Service), call)
	logger.V(2).Info("DRA driver has answered", "method", call.Op, "driver", call.Driver, "claims", call.Claims, "err", err)
	switch {
	case err == nil:
		return nodeplan.Answer{Claims: claims}
	case ctx.Err() != nil:
		return nodeplan.Answer{Err: fmt.Errorf("%w: %w", errAbandoned, err)}
	default:
		return nodeplan.Answer{Err: err, NotFound: status.Code(err) == codes.NotFound}
	}
}

func client(conn *grpc.ClientConn, service string) drav1.DRAPluginClient {
	if service == drav1beta1.DRAPluginService {
		return drav1beta1.V1Beta1ClientWrapper{DRAPluginClient: drav1beta1.NewDRAPluginClient(conn)}
	}
	return drav1.NewDRAPluginClient(conn)
}

func send(ctx context.Context, client drav1.DRAPluginClient, call nodeplan.Call) (map[types.UID]nodeplan.ClaimAnswer, error) {
	claims := make([]*drav1.Claim, 0, len(call.Claims))
	for _, ref := range call.Claims {
		claims = append(claims, &drav1.Claim{Namespace: ref.Namespace, Name: ref.Name, Uid: string(ref.UID)})
	}
	answers := make(map[types.UID]nodeplan.ClaimAnswer, len(claims))
	if call.Op == nodeplan.Unprepare {
		response, err := client.NodeUnprepareResources(ctx, &drav1.NodeUnprepareResourcesRequest{Claims: claims})
		if err != nil {
			return nil, err
		}
		for uid, result := range response.GetClaims() {
			answers[types.UID(uid)] = nodeplan.ClaimAnswer{Error: result.GetError()}
		}
		return answers, nil
	}
	response, err := client.NodePrepareResources(ctx, &drav1.NodePrepareResourcesRequest{Claims: claims})
	if err != nil {
		return nil, err
	}
	for uid, result := range response.GetClaims() {
		answers[types.UID(uid)] = nodeplan.ClaimAnswer{Error: result.GetError(), Devices: devices(result.GetDevices())}
	}
	return answers, nil
}

func devices(from []*drav1.Device) []nodeplan.Device {
	to := make([]nodeplan.Device, 0, len(from))
	for _, device := range from {
		to = append(to, nodeplan.Device{
			PoolName:     device.GetPoolName(),
			DeviceName:   device.GetDeviceName(),
			ShareID:      (*types.UID)(device.ShareId),
			RequestNames: device.GetRequestNames(),
			CDIDeviceIDs: device.GetCdiDeviceIds(),
		})
	}
	return to
}

func (m *Manager) observe(driver string) grpc.UnaryClientInterceptor {
	return func(ctx context.Context, method string, request, reply any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker, options ...grpc.CallOption) error {
		start := m.config.Clock.Now()
		err := invoke(ctx, method, request, reply, conn, options...)
		m.config.Metrics.Call(driver, method, status.Code(err).String(), m.config.Clock.Since(start))
		return err
	}
}
