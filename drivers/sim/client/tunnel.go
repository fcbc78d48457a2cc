package client

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/portforward"
	"k8s.io/client-go/transport/spdy"
	"k8s.io/streaming/pkg/httpstream"

	"github.com/dra-conformance/dratest/drivers/sim/deploy"
	"github.com/dra-conformance/dratest/drivers/sim/protocol"
)

// A port-forward that can not be opened is tried again after a pause, and given
// up when patience ends.
const (
	pause    = 200 * time.Millisecond
	patience = 10 * time.Second
)

// dialer connects to one node's agent.
type dialer interface {
	dial(ctx context.Context, network, address string) (net.Conn, error)
	close()
}

// tunnel is a port-forward to the agent's pod of one node. It is opened when
// first needed and again whenever it broke, also to another pod; each
// connection is a stream of its own in it.
type tunnel struct {
	config *rest.Config
	client kubernetes.Interface
	node   string

	mutex   sync.Mutex
	forward httpstream.Connection
	streams int
}

// dial implements dialer; the address is the tunnel's own.
func (t *tunnel) dial(ctx context.Context, _, _ string) (net.Conn, error) {
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

func (t *tunnel) open(ctx context.Context) (net.Conn, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.forward != nil {
		conn, err := t.stream()
		if err == nil {
			return conn, nil
		}
		_ = t.forward.Close()
		t.forward = nil
	}
	if err := t.reconnect(ctx); err != nil {
		return nil, err
	}
	return t.stream()
}

// reconnect tries for a while: a kubelet that has just started does not know its
// pods yet. A node without an agent is an error at once.
func (t *tunnel) reconnect(ctx context.Context) error {
	var last error
	err := wait.PollUntilContextTimeout(ctx, pause, patience, true, func(ctx context.Context) (bool, error) {
		t.forward, last = t.connect(ctx)
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

// connect opens a port-forward, over a websocket where the API server can.
func (t *tunnel) connect(ctx context.Context) (httpstream.Connection, error) {
	pod, err := deploy.Pod(ctx, t.client, t.node)
	if err != nil {
		return nil, err
	}
	url := t.client.CoreV1().RESTClient().Post().
		Resource("pods").Namespace(deploy.Namespace).Name(pod).SubResource("portforward").URL()
	transport, upgrader, err := spdy.RoundTripperFor(t.config)
	if err != nil {
		return nil, fmt.Errorf("prepare port-forward to pod %s: %w", pod, err)
	}
	overSPDY := spdy.NewDialerForStreaming(upgrader, &http.Client{Transport: transport}, http.MethodPost, url)
	overWebsocket, err := portforward.NewSPDYOverWebsocketDialerForStreaming(url, t.config)
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

// stream opens one connection inside of the port-forward: a stream for errors
// and one for data, tied together by a number.
func (t *tunnel) stream() (net.Conn, error) {
	t.streams++
	headers := http.Header{}
	headers.Set(corev1.PortHeader, strconv.Itoa(protocol.Port))
	headers.Set(corev1.PortForwardRequestIDHeader, strconv.Itoa(t.streams))
	headers.Set(corev1.StreamType, corev1.StreamTypeError)
	problems, err := t.forward.CreateStream(headers)
	if err != nil {
		return nil, fmt.Errorf("open stream: %w", err)
	}
	// Nothing is sent on it.
	_ = problems.Close()
	headers.Set(corev1.StreamType, corev1.StreamTypeData)
	data, err := t.forward.CreateStream(headers)
	if err != nil {
		t.forward.RemoveStreams(problems)
		_ = problems.Reset()
		return nil, fmt.Errorf("open stream: %w", err)
	}
	return newStream(t.forward, data, problems), nil
}

func (t *tunnel) close() {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.forward != nil {
		_ = t.forward.Close()
		t.forward = nil
	}
}
