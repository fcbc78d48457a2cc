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

package sanity

import (
	"context"
	"net"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"
	healthv1 "k8s.io/kubelet/pkg/apis/dra-health/v1"
	healthv1alpha1 "k8s.io/kubelet/pkg/apis/dra-health/v1alpha1"

	"github.com/dra-conformance/dratest/framework/spec"
)

// healthServer answers each watch with a report, an error, or both.
type healthServer struct {
	healthv1.UnimplementedDRAResourceHealthServer

	silent bool
	err    error
}

func (s healthServer) NodeWatchResources(_ *healthv1.NodeWatchResourcesRequest, stream grpc.ServerStreamingServer[healthv1.NodeWatchResourcesResponse]) error {
	if s.err == nil && !s.silent {
		if err := stream.Send(&healthv1.NodeWatchResourcesResponse{}); err != nil {
			return err
		}
	}
	if s.silent {
		<-stream.Context().Done()
	}
	return s.err
}

func TestHealthAPIs(t *testing.T) {
	v1 := func(s healthServer) func(*grpc.Server) {
		return func(server *grpc.Server) { healthv1.RegisterDRAResourceHealthServer(server, s) }
	}
	v1alpha1 := func(s healthServer) func(*grpc.Server) {
		return func(server *grpc.Server) {
			healthv1alpha1.RegisterDRAResourceHealthServer(server, healthv1.V1ServerWrapper{Server: s})
		}
	}
	both := func(s healthServer) func(*grpc.Server) {
		return func(server *grpc.Server) {
			v1(s)(server)
			v1alpha1(s)(server)
		}
	}
	for name, row := range map[string]struct {
		register       func(*grpc.Server)
		declined, both spec.Status
	}{
		"none":     {func(*grpc.Server) {}, spec.Passed, spec.NotApplicable},
		"both":     {both(healthServer{}), spec.Passed, spec.Passed},
		"declined": {both(healthServer{err: status.Error(codes.Unimplemented, "no")}), spec.Passed, spec.NotApplicable},
		"only v1":  {v1(healthServer{}), spec.Passed, spec.Failed},
		// A driver with a library older than v1 of the API.
		"only v1alpha1": {v1alpha1(healthServer{}), spec.Passed, spec.NotApplicable},
		"silent":        {both(healthServer{silent: true}), spec.Failed, spec.NotApplicable},
		"an error":      {both(healthServer{err: status.Error(codes.Internal, "no")}), spec.Failed, spec.NotApplicable},
	} {
		t.Run(name, func(t *testing.T) {
			listener := bufconn.Listen(1 << 16)
			server := grpc.NewServer(grpc.WaitForHandlers(true))
			row.register(server)
			go func() { _ = server.Serve(listener) }()
			t.Cleanup(server.Stop)
			conn, err := grpc.NewClient("passthrough:///driver", grpc.WithTransportCredentials(insecure.NewCredentials()),
				grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = conn.Close() })
			for _, c := range []struct {
				check Check
				want  spec.Status
			}{{healthDeclined, row.declined}, {bothHealthAPIs, row.both}} {
				w := (&testDriver{}).served(t, devices("a")...)
				w.conn = conn
				did(t, w, c.check, c.want, "")
			}
		})
	}
}
