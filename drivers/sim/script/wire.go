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

package script

import (
	"context"
	"fmt"

	"google.golang.org/grpc"
	drapb "k8s.io/kubelet/pkg/apis/dra/v1"
	drapbv1beta1 "k8s.io/kubelet/pkg/apis/dra/v1beta1"

	"github.com/dra-conformance/dratest/framework/spec"
)

// Intercept is a grpc.UnaryServerInterceptor. Calls other than the DRA plugin API's pass unchanged. Errors are gRPC
// statuses, or of the handler.
func (s *Script) Intercept(ctx context.Context, request any, _ *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
	switch r := request.(type) {
	case *drapb.NodePrepareResourcesRequest:
		return s.prepare(ctx, spec.GRPCv1, r, func(ctx context.Context, r *drapb.NodePrepareResourcesRequest) (*drapb.NodePrepareResourcesResponse, error) {
			return handled[*drapb.NodePrepareResourcesResponse](handler(ctx, r))
		})
	case *drapb.NodeUnprepareResourcesRequest:
		return s.unprepare(ctx, spec.GRPCv1, r, func(ctx context.Context, r *drapb.NodeUnprepareResourcesRequest) (*drapb.NodeUnprepareResourcesResponse, error) {
			return handled[*drapb.NodeUnprepareResourcesResponse](handler(ctx, r))
		})
	case *drapbv1beta1.NodePrepareResourcesRequest:
		server := v1beta1{script: s, handler: handler}
		return drapbv1beta1.V1ServerWrapper{DRAPluginServer: server}.NodePrepareResources(ctx, r)
	case *drapbv1beta1.NodeUnprepareResourcesRequest:
		server := v1beta1{script: s, handler: handler}
		return drapbv1beta1.V1ServerWrapper{DRAPluginServer: server}.NodeUnprepareResources(ctx, r)
	default:
		return handler(ctx, request)
	}
}

// v1beta1 adapts calls of the older API to the script's v1, and back for the handler.
type v1beta1 struct {
	drapb.UnimplementedDRAPluginServer

	script  *Script
	handler grpc.UnaryHandler
}

func (v v1beta1) NodePrepareResources(ctx context.Context, r *drapb.NodePrepareResourcesRequest) (*drapb.NodePrepareResourcesResponse, error) {
	return v.script.prepare(ctx, spec.GRPCv1beta1, r, func(ctx context.Context, r *drapb.NodePrepareResourcesRequest) (*drapb.NodePrepareResourcesResponse, error) {
		var old drapbv1beta1.NodePrepareResourcesRequest
		if err := drapbv1beta1.Convert_v1_NodePrepareResourcesRequest_To_v1beta1_NodePrepareResourcesRequest(r, &old, nil); err != nil {
			return nil, fmt.Errorf("convert request to v1beta1: %w", err)
		}
		response, err := handled[*drapbv1beta1.NodePrepareResourcesResponse](v.handler(ctx, &old))
		if err != nil {
			return nil, err
		}
		var converted drapb.NodePrepareResourcesResponse
		err = drapbv1beta1.Convert_v1beta1_NodePrepareResourcesResponse_To_v1_NodePrepareResourcesResponse(response, &converted, nil)
		return &converted, err
	})
}

func (v v1beta1) NodeUnprepareResources(ctx context.Context, r *drapb.NodeUnprepareResourcesRequest) (*drapb.NodeUnprepareResourcesResponse, error) {
	return v.script.unprepare(ctx, spec.GRPCv1beta1, r, func(ctx context.Context, r *drapb.NodeUnprepareResourcesRequest) (*drapb.NodeUnprepareResourcesResponse, error) {
		var old drapbv1beta1.NodeUnprepareResourcesRequest
		if err := drapbv1beta1.Convert_v1_NodeUnprepareResourcesRequest_To_v1beta1_NodeUnprepareResourcesRequest(r, &old, nil); err != nil {
			return nil, fmt.Errorf("convert request to v1beta1: %w", err)
		}
		response, err := handled[*drapbv1beta1.NodeUnprepareResourcesResponse](v.handler(ctx, &old))
		if err != nil {
			return nil, err
		}
		var converted drapb.NodeUnprepareResourcesResponse
		err = drapbv1beta1.Convert_v1beta1_NodeUnprepareResourcesResponse_To_v1_NodeUnprepareResourcesResponse(response, &converted, nil)
		return &converted, err
	})
}

func (s *Script) prepare(
	ctx context.Context, version spec.GRPCVersion, request *drapb.NodePrepareResourcesRequest,
	handle func(context.Context, *drapb.NodePrepareResourcesRequest) (*drapb.NodePrepareResourcesResponse, error),
) (*drapb.NodePrepareResourcesResponse, error) {
	answers, err := s.run(ctx, &call{
		method: spec.Prepare, grpc: version, claims: request.Claims,
		handle: func(ctx context.Context, claims []*drapb.Claim) (map[string]*answer, error) {
			response, err := handle(ctx, &drapb.NodePrepareResourcesRequest{Claims: claims})
			if err != nil {
				return nil, err
			}
			answers := map[string]*answer{}
			for id, a := range response.Claims {
				answers[id] = &answer{err: a.Error, devices: a.Devices}
			}
			return answers, nil
		},
	})
	if err != nil {
		return nil, err
	}
	response := &drapb.NodePrepareResourcesResponse{Claims: map[string]*drapb.NodePrepareResourceResponse{}}
	for id, a := range answers {
		response.Claims[id] = &drapb.NodePrepareResourceResponse{Error: a.err, Devices: a.devices}
	}
	return response, nil
}

func (s *Script) unprepare(
	ctx context.Context, version spec.GRPCVersion, request *drapb.NodeUnprepareResourcesRequest,
	handle func(context.Context, *drapb.NodeUnprepareResourcesRequest) (*drapb.NodeUnprepareResourcesResponse, error),
) (*drapb.NodeUnprepareResourcesResponse, error) {
	answers, err := s.run(ctx, &call{
		method: spec.Unprepare, grpc: version, claims: request.Claims,
		handle: func(ctx context.Context, claims []*drapb.Claim) (map[string]*answer, error) {
			response, err := handle(ctx, &drapb.NodeUnprepareResourcesRequest{Claims: claims})
			if err != nil {
				return nil, err
			}
			answers := map[string]*answer{}
			for id, a := range response.Claims {
				answers[id] = &answer{err: a.Error}
			}
			return answers, nil
		},
	})
	if err != nil {
		return nil, err
	}
	response := &drapb.NodeUnprepareResourcesResponse{Claims: map[string]*drapb.NodeUnprepareResourceResponse{}}
	for id, a := range answers {
		response.Claims[id] = &drapb.NodeUnprepareResourceResponse{Error: a.err}
	}
	return response, nil
}

// handled converts a gRPC handler's response to its type.
func handled[T any](response any, err error) (T, error) {
	var none T
	if err != nil {
		return none, err
	}
	typed, ok := response.(T)
	if !ok {
		return none, fmt.Errorf("handler answered with %T, not %T", response, none)
	}
	return typed, nil
}
