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
	"fmt"
	"net"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/portforward"
	"k8s.io/client-go/transport/spdy"
	"k8s.io/streaming/pkg/httpstream"

	"github.com/dra-conformance/dratest/drivers/sim/deploy"
	"github.com/dra-conformance/dratest/framework/agentapi"
)

// A failed port-forward is retried after a pause, until patience ends.
const (
	pause    = 200 * time.Millisecond
	patience = 10 * time.Second
)

type dialer interface {
	dial(ctx context.Context) (net.Conn, error)
	close()
}

// tunnel is a port-forward to the agent's pod of one node. It is opened on first use and again after a failure, also
// to another pod; each connection is a stream of its own.
type tunnel struct {
	connect func(ctx context.Context) (httpstream.Connection, error)
	streams atomic.Int64

	mutex   sync.Mutex
	forward httpstream.Connection
}

func newTunnel(config *rest.Config, client kubernetes.Interface, node string) *tunnel {
	return &tunnel{connect: func(ctx context.Context) (httpstream.Connection, error) { return forwardTo(ctx, config, client, node) }}
}

func (t *tunnel) dial(ctx context.Context) (net.Conn, error) {
	type result struct {
		conn net.Conn
		err  error
	}
	// The libraries below take no context.
	done := make(chan result, 1)
	go func() {
		conn, err := t.open(ctx)
		done <- result{conn, err}
	}()
	select {
	case r := <-done:
		return r.conn, r.err
	case <-ctx.Done():
		go func() {
			if r := <-done; r.conn != nil {
				_ = r.conn.Close()
			}
		}()
		return nil, ctx.Err()
	}
}

// open returns a new stream. An open port-forward may be dead, as after a reboot of its node; then another one is
// opened.
func (t *tunnel) open(ctx context.Context) (net.Conn, error) {
	forward, fresh, err := t.current(ctx)
	if err != nil {
		return nil, err
	}
	conn, err := t.stream(ctx, forward)
	if err == nil || fresh || ctx.Err() != nil {
		return conn, err
	}
	if forward, _, err = t.current(ctx); err != nil {
		return nil, err
	}
	return t.stream(ctx, forward)
}

// current returns the open port-forward, or a new one.
func (t *tunnel) current(ctx context.Context) (forward httpstream.Connection, fresh bool, err error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.forward != nil {
		return t.forward, false, nil
	}
	err = t.reconnect(ctx)
	return t.forward, true, err
}

// drop closes a failed port-forward; the next dial opens another.
func (t *tunnel) drop(forward httpstream.Connection) {
	t.mutex.Lock()
	if t.forward == forward {
		t.forward = nil
	}
	t.mutex.Unlock()
	_ = forward.Close()
}

// reconnect retries for a while: a restarted kubelet does not know its pods yet. A node without an agent is an error
// at once.
func (t *tunnel) reconnect(ctx context.Context) error {
	var last error
	err := wait.PollUntilContextTimeout(ctx, pause, patience, true, func(ctx context.Context) (bool, error) {
		var forward httpstream.Connection
		if forward, last = t.connect(ctx); last == nil {
			t.forward = forward
		}
		if errors.Is(last, deploy.ErrNotReady) {
			return false, last
		}
		return last == nil, nil
	})
	if err != nil && last != nil {
		return last
	}
	return err
}

// forwardTo opens a port-forward, over a websocket if the API server supports it.
func forwardTo(ctx context.Context, config *rest.Config, client kubernetes.Interface, node string) (httpstream.Connection, error) {
	pod, err := deploy.Pod(ctx, client, node)
	if err != nil {
		return nil, err
	}
	url := client.CoreV1().RESTClient().Post().
		Resource("pods").Namespace(deploy.Namespace).Name(pod).SubResource("portforward").URL()
	transport, upgrader, err := spdy.RoundTripperFor(config)
	if err != nil {
		return nil, fmt.Errorf("prepare port-forward to pod %s: %w", pod, err)
	}
	overSPDY := spdy.NewDialerForStreaming(upgrader, &http.Client{Transport: transport}, http.MethodPost, url)
	overWebsocket, err := portforward.NewSPDYOverWebsocketDialerForStreaming(url, config)
	if err != nil {
		return nil, fmt.Errorf("prepare port-forward to pod %s: %w", pod, err)
	}
	either := portforward.NewFallbackDialerForStreaming(overWebsocket, overSPDY, func(err error) bool {
		return httpstream.IsUpgradeFailure(err) || httpstream.IsHTTPSProxyError(err)
	})
	forward, chosen, err := either.Dial(portforward.PortForwardProtocolV1Name)
	if err != nil {
		return nil, fmt.Errorf("open port-forward to pod %s: %w", pod, err)
	}
	if chosen != portforward.PortForwardProtocolV1Name {
		_ = forward.Close()
		return nil, fmt.Errorf("open port-forward to pod %s: the server chose protocol %q", pod, chosen)
	}
	return forward, nil
}

// stream opens one connection in a port-forward: a stream for errors and one for data, with a common number. If that
// fails or times out with ctx, the port-forward is dropped: the library waits half a minute for a lost node.
func (t *tunnel) stream(ctx context.Context, forward httpstream.Connection) (conn net.Conn, err error) {
	answered := context.AfterFunc(ctx, func() { t.drop(forward) })
	defer func() {
		if answered() && err != nil {
			t.drop(forward)
		}
	}()
	headers := http.Header{}
	headers.Set(corev1.PortHeader, strconv.Itoa(agentapi.Port))
	headers.Set(corev1.PortForwardRequestIDHeader, strconv.FormatInt(t.streams.Add(1), 10))
	headers.Set(corev1.StreamType, corev1.StreamTypeError)
	problems, err := forward.CreateStream(headers)
	if err != nil {
		return nil, fmt.Errorf("open stream: %w", err)
	}
	// Nothing is sent on it.
	_ = problems.Close()
	headers.Set(corev1.StreamType, corev1.StreamTypeData)
	data, err := forward.CreateStream(headers)
	if err != nil {
		forward.RemoveStreams(problems)
		_ = problems.Reset()
		return nil, fmt.Errorf("open stream: %w", err)
	}
	return newStream(forward, data, problems), nil
}

func (t *tunnel) close() {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.forward != nil {
		_ = t.forward.Close()
		t.forward = nil
	}
}
