package client

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/dra-conformance/dratest/drivers/sim/protocol"
	"github.com/dra-conformance/dratest/framework/spec"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// direct leads to a test server instead of a pod.
type direct struct {
	server  *httptest.Server
	dialled atomic.Int32
}

func (d *direct) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	d.dialled.Add(1)
	return (&net.Dialer{}).DialContext(ctx, "tcp", d.server.Listener.Addr().String())
}

func (*direct) close() {}

// serve returns a client whose only node is a handler.
func serve(t *testing.T, handler http.HandlerFunc) (*Client, *direct) {
	t.Helper()
	server := httptest.NewServer(handler)
	d := &direct{server: server}
	c := &Client{dial: func(string) dialer { return d }, nodes: map[string]*connection{}}
	t.Cleanup(func() { c.Close(); server.Close() })
	return c, d
}

func answer(status int, body any) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set(protocol.VersionHeader, protocol.Version)
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(body)
	}
}

func TestRequests(t *testing.T) {
	tests := []struct {
		name string
		do   func(*Client) error
		want string
	}{
		{"start", func(c *Client) error { return c.Start(t.Context(), "n", spec.DriverConfig{Name: "d"}) }, "PUT /v1/drivers/d"},
		{"change", func(c *Client) error { return c.Change(t.Context(), "n", "d", spec.DriverChange{}) }, "PATCH /v1/drivers/d"},
		{"status", func(c *Client) error { _, err := c.Status(t.Context(), "n", "d"); return err }, "GET /v1/drivers/d"},
		{"restart of the kubelet", func(c *Client) error { return c.RestartKubelet(t.Context(), "n") }, "POST /v1/kubelet/restart"},
		{"kubelet that is down", func(c *Client) error { return c.StopKubelet(t.Context(), "n", 15*time.Second) }, "POST /v1/kubelet/down?for=15s"},
		{"stop", func(c *Client) error { return c.Stop(t.Context(), "n", "d") }, "DELETE /v1/drivers/d"},
		{"evidence", func(c *Client) error {
			_, err := c.Evidence(t.Context(), "n", time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
			return err
		}, "GET /v1/evidence?since=2026-01-02T03%3A04%3A05Z"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got string
			c, d := serve(t, func(w http.ResponseWriter, r *http.Request) {
				got = r.Method + " " + r.URL.String()
				answer(http.StatusOK, struct{}{})(w, r)
			})
			for range 2 {
				if err := test.do(c); err != nil {
					t.Fatal(err)
				}
			}
			if got != test.want || d.dialled.Load() != 1 {
				t.Errorf("sent %q over %d connections, want %q over one", got, d.dialled.Load(), test.want)
			}
		})
	}
}

// A node that restarts ends what is connected to it, and does not say so.
func TestNodeRestartEndsConnections(t *testing.T) {
	var got string
	c, d := serve(t, func(w http.ResponseWriter, r *http.Request) {
		got = r.Method + " " + r.URL.String()
		answer(http.StatusOK, struct{}{})(w, r)
	})
	for range 2 {
		if err := c.RestartNode(t.Context(), "n"); err != nil {
			t.Fatal(err)
		}
	}
	if want := "POST /v1/node/restart"; got != want || d.dialled.Load() != 2 {
		t.Errorf("sent %q over %d connections, want %q over two", got, d.dialled.Load(), want)
	}
}

func TestErrors(t *testing.T) {
	tests := []struct {
		name    string
		handler http.HandlerFunc
		is      error
		want    []string
	}{
		{"refused", answer(400, protocol.Problem{Error: "bad profile"}), nil, []string{"driver d on node n", "bad profile"}},
		{"not found", answer(404, protocol.Problem{Error: "no such driver: d"}), ErrNotFound, []string{"no such driver: d"}},
		{"no problem", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set(protocol.VersionHeader, protocol.Version)
			http.Error(w, "oops", http.StatusInternalServerError)
		}, nil, []string{"500", "oops"}},
		{"other version", func(w http.ResponseWriter, _ *http.Request) { w.Header().Set(protocol.VersionHeader, "99") },
			ErrProtocol, []string{`"99"`, `"` + protocol.Version + `"`, "install the dra-sim image"}},
		{"no version", func(http.ResponseWriter, *http.Request) {}, ErrProtocol, nil},
		{"hangs up", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, nil, []string{"EOF"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c, _ := serve(t, test.handler)
			_, err := c.Status(t.Context(), "n", "d")
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

func TestEvidenceIsReturnedWithWhatIsMissing(t *testing.T) {
	c, _ := serve(t, answer(200, protocol.Evidence{
		Files: map[string][]byte{"kubelet.log": []byte("line\n")}, Missing: []string{"containerd.log: no such unit"},
	}))
	files, err := c.Evidence(t.Context(), "n", time.Time{})
	if string(files["kubelet.log"]) != "line\n" || err == nil || !strings.Contains(err.Error(), "containerd.log: no such unit") {
		t.Errorf("got %q, %v", files, err)
	}
}

// TestBrokenConnectionIsReplaced covers a connection that died while it was idle,
// as when the agent's pod was replaced.
func TestBrokenConnectionIsReplaced(t *testing.T) {
	c, d := serve(t, answer(200, struct{}{}))
	for range 3 {
		if err := c.Start(t.Context(), "n", spec.DriverConfig{Name: "d"}); err != nil {
			t.Fatal(err)
		}
		d.server.CloseClientConnections()
	}
	if n := d.dialled.Load(); n != 3 {
		t.Errorf("%d connections, want 3", n)
	}
}

func TestCancelledRequest(t *testing.T) {
	release := make(chan struct{})
	c, _ := serve(t, func(http.ResponseWriter, *http.Request) { <-release })
	defer close(release)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := c.Status(ctx, "n", "d"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}
