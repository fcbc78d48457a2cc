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
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"k8s.io/apimachinery/pkg/util/wait"
	drapb "k8s.io/kubelet/pkg/apis/dra/v1"
	drapbv1beta1 "k8s.io/kubelet/pkg/apis/dra/v1beta1"
	registerapi "k8s.io/kubelet/pkg/apis/pluginregistration/v1"

	"github.com/dra-conformance/dratest/drivers/nodefiles"
	"github.com/dra-conformance/dratest/drivers/nodefiles/registrationtest"
	"github.com/dra-conformance/dratest/framework/spec"
)

// vendors is a driver counting prepare calls.
type vendors struct {
	drapb.UnimplementedDRAPluginServer

	calls atomic.Int32
	// errors are the errors for claims, call by call; further calls have none.
	errors []string
}

func (v *vendors) NodePrepareResources(_ context.Context, r *drapb.NodePrepareResourcesRequest) (*drapb.NodePrepareResourcesResponse, error) {
	n, text := int(v.calls.Add(1)), ""
	if n <= len(v.errors) {
		text = v.errors[n-1]
	}
	answers := map[string]*drapb.NodePrepareResourceResponse{}
	for _, c := range r.GetClaims() {
		answers[c.GetUid()] = &drapb.NodePrepareResourceResponse{Error: text}
	}
	return &drapb.NodePrepareResourcesResponse{Claims: answers}, nil
}

// node has a registered driver "d".
func node(t *testing.T) (c Config, driver *vendors, stop func()) {
	t.Helper()
	c = Config{Driver: "d", RegistryDir: t.TempDir(), PluginsDir: t.TempDir(), Root: "/"}
	driver = &vendors{}
	server := grpc.NewServer()
	drapb.RegisterDRAPluginServer(server, driver)
	drapbv1beta1.RegisterDRAPluginServer(server, drapbv1beta1.V1ServerWrapper{DRAPluginServer: driver})
	endpoint := filepath.Join(c.PluginsDir, "d.sock")
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", endpoint)
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	t.Cleanup(registrationtest.Register(filepath.Join(c.RegistryDir, "d-reg.sock"), "d", endpoint,
		drapb.DRAPluginService, drapbv1beta1.DRAPluginService, "v1.DRAResourceHealth"))
	return c, driver, server.Stop
}

func dial(t *testing.T, path string) *grpc.ClientConn {
	t.Helper()
	conn, err := grpc.NewClient("unix://"+path, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// kubelet registers the proxy and returns a connection to it.
func kubelet(t *testing.T, c Config) *grpc.ClientConn {
	t.Helper()
	sockets, err := nodefiles.Sockets(t.Context(), c.RegistryDir, "/")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sockets {
		if !s.IsProxy() {
			continue
		}
		if d := cmp.Diff([]string{"v1.DRAPlugin", "v1beta1.DRAPlugin"}, s.Services); d != "" {
			t.Errorf("services: %s", d)
		}
		if _, err := registerapi.NewRegistrationClient(dial(t, s.Path)).NotifyRegistrationStatus(t.Context(), &registerapi.RegistrationStatus{PluginRegistered: true}); err != nil {
			t.Fatal(err)
		}
		return dial(t, s.Endpoint)
	}
	t.Fatalf("no proxy registers: %v", sockets)
	return nil
}

func TestProxy(t *testing.T) {
	cut := spec.Fault{Method: spec.Prepare, Kind: spec.FaultCallError, Code: "Unavailable", Message: "cut", Times: 1}
	for _, tc := range []struct {
		name    string
		config  spec.Proxy
		message string
		calls   int32
	}{
		{"as it is", spec.Proxy{}, "", 1},
		{"twice", spec.Proxy{Twice: true}, "", 2},
		{"cut", spec.Proxy{Faults: []spec.Fault{cut}}, "cut", 0},
		{"killed", spec.Proxy{KillAfter: spec.Prepare}, "Unavailable", 1},
		{"another call", spec.Proxy{KillAfter: spec.Unprepare}, "", 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, driver, stop := node(t)
			c.Proxy, c.Kill = tc.config, func(net.Conn) error { go stop(); return nil }
			p, err := Start(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = p.Close() }()
			if p.Status().Registered {
				t.Error("registered before the kubelet says so")
			}
			_, err = drapb.NewDRAPluginClient(kubelet(t, c)).NodePrepareResources(t.Context(), &drapb.NodePrepareResourcesRequest{Claims: []*drapb.Claim{{Namespace: "ns", Name: "claim", Uid: "u"}}})
			if (err != nil) != (tc.message != "") || err != nil && !strings.Contains(err.Error(), tc.message) {
				t.Errorf("the kubelet gets %v, want %q", err, tc.message)
			}
			if got := driver.calls.Load(); got != tc.calls {
				t.Errorf("%d calls came to the driver, want %d", got, tc.calls)
			}
			s := p.Status()
			if !s.Registered || len(s.Calls) != 1 || s.Calls[0].Claims[0].Name != "claim" {
				t.Errorf("status is %+v", s)
			}
		})
	}
}

// TestTwoAnswers: an error in either one reaches the kubelet.
func TestTwoAnswers(t *testing.T) {
	for _, tc := range []struct {
		name   string
		errors []string
		want   string
	}{
		{"none", nil, ""},
		{"in the first", []string{"not yet"}, "not yet"},
		{"in the second", []string{"", "is prepared"}, "is prepared"},
		{"in both", []string{"not yet", "is prepared"}, "is prepared"},
	} {
		c, driver, _ := node(t)
		driver.errors, c.Proxy = tc.errors, spec.Proxy{Twice: true}
		p, err := Start(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := drapb.NewDRAPluginClient(kubelet(t, c)).NodePrepareResources(t.Context(), &drapb.NodePrepareResourcesRequest{Claims: []*drapb.Claim{{Uid: "u"}}})
		reported, seen := answer.GetClaims()["u"].GetError(), p.Status().Calls
		if err != nil || reported != tc.want || len(seen) != 1 || seen[0].Claims[0].Error != tc.want {
			t.Errorf("%s: %v, the kubelet gets %q, want %q; calls are %+v", tc.name, err, reported, tc.want, seen)
		}
		_ = p.Close()
	}
}

func TestKeepErrorsLeavesOutWhatTheFirstLeftOut(t *testing.T) {
	second := map[string]*drapb.NodePrepareResourceResponse{"a": {}, "b": {}}
	keepErrors(map[string]*drapb.NodePrepareResourceResponse{"a": {}}, second)
	if _, there := second["b"]; there || len(second) != 1 {
		t.Errorf("got %v", second)
	}
}

// TestDriverThatCannotBeKilled: the answer is passed on, the failure reported, and the driver killed after the next
// call.
func TestDriverThatCannotBeKilled(t *testing.T) {
	c, _, stop := node(t)
	tries := 0
	c.Proxy, c.Kill = spec.Proxy{KillAfter: spec.Prepare}, func(net.Conn) error {
		if tries++; tries == 1 {
			return errors.New("no such process")
		}
		go stop()
		return nil
	}
	p, err := Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = p.Close() }()
	client := drapb.NewDRAPluginClient(kubelet(t, c))
	request := &drapb.NodePrepareResourcesRequest{Claims: []*drapb.Claim{{Uid: "u"}}}
	if _, err := client.NodePrepareResources(t.Context(), request); err != nil {
		t.Errorf("the kubelet gets no answer: %v", err)
	}
	if s := p.Status(); !strings.Contains(s.Problem, "could not be killed after it had answered: no such process") || s.Calls[0].Error != "" {
		t.Errorf("status is %+v", s)
	}
	if _, err := client.NodePrepareResources(t.Context(), request); err == nil {
		t.Error("the driver is not killed after the next call")
	}
	// The connection may end before the call is recorded.
	err = wait.PollUntilContextTimeout(t.Context(), time.Millisecond, 10*time.Second, true, func(context.Context) (bool, error) {
		s := p.Status()
		return !strings.Contains(s.Problem, "could not be killed") && strings.Contains(s.Calls[1].Error, spec.KilledAfterAnswer), nil
	})
	if err != nil {
		t.Errorf("status is %+v", p.Status())
	}
}

func TestProxyMeasuresTheDriver(t *testing.T) {
	c, _, _ := node(t)
	var unseen error
	c.Proxy, c.Use = spec.Proxy{Measure: true}, func(net.Conn) (spec.ProcessUse, error) {
		return spec.ProcessUse{Memory: 7, FileDescriptors: 3}, unseen
	}
	p, err := Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = p.Close() }()
	if s := p.Status(); s.Process == nil || *s.Process != (spec.ProcessUse{Memory: 7, FileDescriptors: 3}) || s.Problem != "" {
		t.Errorf("status is %+v", s)
	}
	unseen = errors.New("it runs in another PID namespace")
	if s := p.Status(); s.Problem != "the driver's resource usage cannot be read: it runs in another PID namespace" {
		t.Errorf("status is %+v", s)
	}
}

func TestProxyForwardsTheOldAPI(t *testing.T) {
	c, driver, _ := node(t)
	p, err := Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = p.Close() }()
	_, err = drapbv1beta1.NewDRAPluginClient(kubelet(t, c)).NodePrepareResources(t.Context(), &drapbv1beta1.NodePrepareResourcesRequest{Claims: []*drapbv1beta1.Claim{{Uid: "u"}}})
	if s := p.Status(); err != nil || driver.calls.Load() != 1 || len(s.Calls) != 1 || s.Calls[0].GRPC != spec.GRPCv1beta1 {
		t.Errorf("%v, %+v", err, s)
	}
}

// Slices of a stopped driver would stay if the proxy did.
func TestProxyLeavesWithTheDriver(t *testing.T) {
	c, _, stop := node(t)
	p, err := Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	stop()
	select {
	case <-p.ended:
	case <-time.After(10 * time.Second):
		t.Fatal("the proxy stays")
	}
	if err := p.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	for _, dir := range []string{c.RegistryDir, c.PluginsDir} {
		if left, _ := filepath.Glob(filepath.Join(dir, nodefiles.ProxyPrefix+"*")); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
	}
}

func TestNoDriverToStandBefore(t *testing.T) {
	c, _, stop := node(t)
	stop()
	if _, err := Start(t.Context(), c); err == nil || !strings.Contains(err.Error(), "it has not registered") {
		t.Errorf("got %v", err)
	}
}

func TestLeftoversAreRemoved(t *testing.T) {
	dir := t.TempDir()
	left, own := filepath.Join(dir, nodefiles.ProxyPrefix+"1"), filepath.Join(dir, "d-reg.sock")
	for _, path := range []string{left, own} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := RemoveLeftovers(dir, t.TempDir()); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(left); !errors.Is(err, os.ErrNotExist) {
		t.Error("a proxy's file is left")
	}
	if _, err := os.Stat(own); err != nil {
		t.Error(err)
	}
}
