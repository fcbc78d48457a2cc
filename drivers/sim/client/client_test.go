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

package client

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/dra-conformance/dratest/drivers/sim/deploy"
	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/spec"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// direct leads to a server instead of a pod.
type direct struct {
	address string

	mutex   sync.Mutex
	dialled []net.Conn
	// refuses is why the next dial fails.
	refuses error
}

func (d *direct) dial(ctx context.Context) (net.Conn, error) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if err := d.refuses; err != nil {
		d.refuses = nil
		return nil, err
	}
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", d.address)
	d.dialled = append(d.dialled, conn)
	return conn, err
}

func (d *direct) count() int {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	return len(d.dialled)
}

func (d *direct) hangUp() {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	_ = d.dialled[len(d.dialled)-1].Close()
}

func (*direct) close() {}

func lead(t *testing.T, address string) (*Client, *direct) {
	t.Helper()
	d := &direct{address: address}
	c := newClient(func(string) dialer { return d })
	t.Cleanup(c.Close)
	return c, d
}

func serve(t *testing.T, server *grpc.Server) (*Client, *direct) {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(listener) })
	t.Cleanup(func() { server.Stop(); serving.Wait() })
	return lead(t, listener.Addr().String())
}

// stub is an agent of a version, answering with an error or after a delay.
type stub struct {
	agentapi.UnimplementedAgentServer

	version string
	err     error
	hangs   bool
}

func (f stub) server() *grpc.Server {
	s := grpc.NewServer(grpc.UnaryInterceptor(func(ctx context.Context, request any, _ *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
		if f.version != "" {
			_ = grpc.SetHeader(ctx, metadata.Pairs(agentapi.VersionHeader, f.version))
		}
		return handle(ctx, request)
	}))
	agentapi.RegisterAgentServer(s, f)
	return s
}

func (f stub) GetDriverStatus(ctx context.Context, _ *agentapi.DriverRequest) (*agentapi.JSON, error) {
	if f.hangs {
		<-ctx.Done() // maybe before the client's clock has ended the call
		return nil, ctx.Err()
	}
	return &agentapi.JSON{Json: []byte("{}")}, f.err
}

func (stub) Reboot(context.Context, *agentapi.NodeRequest) (*emptypb.Empty, error) {
	return &emptypb.Empty{}, nil
}

func (stub) GetEvidence(context.Context, *agentapi.EvidenceRequest) (*agentapi.Evidence, error) {
	return &agentapi.Evidence{Files: map[string][]byte{"kubelet.log": make([]byte, 8<<20)}, Missing: []string{"containerd.log: no such unit"}}, nil
}

func TestRequestsShareAConnection(t *testing.T) {
	c, d := serve(t, stub{version: agentapi.Version}.server())
	for range 3 {
		if _, err := agentapi.Status(t.Context(), c, "n", "d"); err != nil {
			t.Fatal(err)
		}
	}
	if n := d.count(); n != 1 {
		t.Errorf("%d connections, want one", n)
	}
}

// A rebooting node drops connections without notice.
func TestRebootEndsConnections(t *testing.T) {
	c, d := serve(t, stub{version: agentapi.Version}.server())
	for range 2 {
		if _, err := c.Reboot(t.Context(), &agentapi.NodeRequest{Node: "n"}); err != nil {
			t.Fatal(err)
		}
	}
	if n := d.count(); n != 2 {
		t.Errorf("%d connections, want two", n)
	}
}

func TestErrors(t *testing.T) {
	const version = agentapi.Version
	tests := []struct {
		name  string
		agent stub
		is    error
		want  []string
	}{
		{"refused", stub{version: version, err: status.Error(codes.InvalidArgument, "bad profile")}, nil, []string{"GetDriverStatus d on node n: bad profile"}},
		{"other version", stub{version: "99"}, ErrProtocol, []string{`"99"`, `"` + version + `"`, "install the dra-sim image"}},
		{"other version that fails", stub{version: "99", err: status.Error(codes.Unimplemented, "unknown method")}, ErrProtocol, []string{`"99"`}},
		{"no version", stub{}, ErrProtocol, []string{"install the dra-sim image"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c, _ := serve(t, test.agent.server())
			_, err := agentapi.Status(t.Context(), c, "n", "d")
			if err == nil || test.is != nil && !errors.Is(err, test.is) {
				t.Fatalf("got %v, want %v", err, test.is)
			}
			for _, part := range test.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q does not say %q", err, part)
				}
			}
		})
	}
}

// Agents before version 10 speak HTTP/1.1.
func TestOlderAgent(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(agentapi.VersionHeader, "9")
		http.NotFound(w, r)
	}))
	defer server.Close()
	c, _ := lead(t, server.Listener.Addr().String())
	_, err := agentapi.Status(t.Context(), c, "n", "d")
	if !errors.Is(err, ErrProtocol) || !strings.Contains(err.Error(), `the agent's is "9", this dratest's is "10"`) {
		t.Errorf("got %v", err)
	}
}

func TestServerHangsUp(t *testing.T) {
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_ = conn.Close()
		}
	})
	defer func() { _ = listener.Close(); serving.Wait() }()
	c, d := lead(t, listener.Addr().String())
	if _, err := agentapi.Status(t.Context(), c, "n", "d"); err == nil || !strings.Contains(err.Error(), "talk to dra-sim: ") {
		t.Errorf("got %v", err)
	}
	if n := d.count(); n < 2 {
		t.Errorf("dialled %d times, want at least twice", n)
	}
}

// A port-forward to a deleted pod is opened again; its error is not quoted.
func TestDialIsRepeated(t *testing.T) {
	c, d := serve(t, stub{version: agentapi.Version}.server())
	d.refuses = errors.New("port-forward: connection refused")
	if _, err := agentapi.Status(t.Context(), c, "n", "d"); err != nil {
		t.Errorf("refused once: %v", err)
	}
	lost := newClient(func(string) dialer { return never{} })
	defer lost.Close()
	_, err := agentapi.Status(t.Context(), lost, "n", "d")
	if !errors.Is(err, deploy.ErrNotReady) || err.Error() != "GetDriverStatus d on node n: talk to dra-sim: dra-sim is not ready" {
		t.Errorf("without an agent: %v", err)
	}
}

type never struct{}

func (never) dial(context.Context) (net.Conn, error) { return nil, deploy.ErrNotReady }
func (never) close()                                 {}

func TestEvidenceIsReturnedWithWhatIsMissing(t *testing.T) {
	c, _ := serve(t, stub{version: agentapi.Version}.server())
	files, err := agentapi.ReadEvidence(t.Context(), c, "n", time.Time{})
	if len(files["kubelet.log"]) != 8<<20 || err == nil || !strings.Contains(err.Error(), "containerd.log: no such unit") {
		t.Errorf("got %d bytes, %v", len(files["kubelet.log"]), err)
	}
}

// TestBrokenConnectionIsReplaced covers a connection lost while idle, as when the agent's pod was replaced.
func TestBrokenConnectionIsReplaced(t *testing.T) {
	c, d := serve(t, stub{version: agentapi.Version}.server())
	for range 3 {
		if _, err := agentapi.Status(t.Context(), c, "n", "d"); err != nil {
			t.Fatal(err)
		}
		d.hangUp()
	}
	if n := d.count(); n != 3 {
		t.Errorf("%d connections, want 3", n)
	}
}

func TestCancelledRequest(t *testing.T) {
	c, _ := serve(t, stub{version: agentapi.Version, hangs: true}.server())
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := agentapi.Status(ctx, c, "n", "d"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	if err := agentapi.Start(ctx, c, "n", spec.DriverConfig{Name: "d"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}
