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
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"
	"k8s.io/klog/v2"

	"github.com/dra-conformance/dratest/framework/agentapi"
)

// answering is the time for a response to pass the kubelet about to be restarted, alone or with its node.
const answering = 300 * time.Millisecond

// minPing is the minimum interval of client keepalives.
const minPing = 5 * time.Second

// control is the agent as its API.
type control struct {
	agentapi.UnimplementedAgentServer
	*Agent
}

// Server is the agent's control endpoint. It has no authentication and must only listen on loopback.
func (a *Agent) Server() *grpc.Server {
	s := grpc.NewServer(
		grpc.MaxRecvMsgSize(agentapi.MaxRequest),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: minPing}),
		grpc.UnaryInterceptor(a.unary),
		grpc.StreamInterceptor(a.stream),
		grpc.UnknownServiceHandler(func(any, grpc.ServerStream) error { return status.Error(codes.Unimplemented, "unknown method") }),
	)
	agentapi.RegisterAgentServer(s, control{Agent: a})
	return s
}

// version is in the header of each response, also to a method of another version.
func version() metadata.MD { return metadata.Pairs(agentapi.VersionHeader, agentapi.Version) }

func (a *Agent) unary(ctx context.Context, request any, info *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
	if err := grpc.SetHeader(ctx, version()); err != nil {
		return nil, err
	}
	var answer any
	err := a.check(request)
	if err == nil {
		answer, err = handle(ctx, request)
	}
	return answer, a.fail(ctx, info.FullMethod, err)
}

func (a *Agent) stream(server any, stream grpc.ServerStream, info *grpc.StreamServerInfo, handle grpc.StreamHandler) error {
	if err := stream.SetHeader(version()); err != nil {
		return err
	}
	return a.fail(stream.Context(), info.FullMethod, handle(server, stream))
}

// check refuses requests for another node.
func (a *Agent) check(request any) error {
	if r, ok := request.(interface{ GetNode() string }); ok && r.GetNode() != a.config.NodeName {
		return fmt.Errorf("%w: this is the agent of node %q, not of node %q", ErrInvalid, a.config.NodeName, r.GetNode())
	}
	return nil
}

// fail logs an error and returns it with a code other than Unavailable, which is the connection's.
func (*Agent) fail(ctx context.Context, method string, err error) error {
	if err == nil || status.Code(err) == codes.Unimplemented {
		return err
	}
	klog.FromContext(ctx).V(2).Info("Request failed", "method", method, "err", err)
	code := codes.Unknown
	switch {
	case errors.Is(err, ErrInvalid):
		code = codes.InvalidArgument
	case errors.Is(err, ErrNotFound):
		code = codes.NotFound
	case errors.Is(err, ErrExists):
		code = codes.AlreadyExists
	}
	return status.Error(code, err.Error())
}

func decode(content []byte, in any) error {
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(in); err != nil {
		return fmt.Errorf("%w: read request: %w", ErrInvalid, err)
	}
	return nil
}

func done(err error) (*emptypb.Empty, error) { return &emptypb.Empty{}, err }

func encode(v any, err error) (*agentapi.JSON, error) {
	if err != nil {
		return nil, err
	}
	return &agentapi.JSON{Json: agentapi.Encode(v)}, nil
}

// soon runs do after the request is answered, on the node with its root file system at root.
func (a *Agent) soon(ctx context.Context, do func(ctx context.Context, root string) error) (*emptypb.Empty, error) {
	ctx = context.WithoutCancel(ctx)
	time.AfterFunc(answering, func() {
		if err := do(ctx, a.config.HostRoot); err != nil {
			klog.FromContext(ctx).Error(err, "All stays as it is")
		}
	})
	return done(nil)
}
