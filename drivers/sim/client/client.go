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
	"path"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"k8s.io/client-go/rest"

	"github.com/dra-conformance/dratest/drivers/sim/deploy"
	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/kube"
)

// ErrProtocol: agent and client have different protocol versions.
var ErrProtocol = errors.New("dra-sim speaks another protocol version")

// Client sends each request to the agent of its node. It is safe for concurrent use; Close closes its connections.
type Client struct {
	agentapi.AgentClient

	// dial returns the dialer for a node's agent.
	dial func(node string) dialer

	mutex sync.Mutex
	nodes map[string]*connection
}

// New returns a client for the cluster of config. It connects to agents on first use.
func New(config *rest.Config) (*Client, error) {
	client, err := kube.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("make client for dra-sim: %w", err)
	}
	return newClient(func(node string) dialer { return newTunnel(config, client, node) }), nil
}

func newClient(dial func(node string) dialer) *Client {
	c := &Client{dial: dial, nodes: map[string]*connection{}}
	c.AgentClient = agentapi.NewAgentClient(c)
	return c
}

// Close closes all connections; the client cannot be used afterwards.
func (c *Client) Close() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for _, conn := range c.nodes {
		conn.close()
	}
	c.nodes = map[string]*connection{}
}

// Invoke implements grpc.ClientConnInterface.
func (c *Client) Invoke(ctx context.Context, method string, request, answer any, opts ...grpc.CallOption) error {
	named, ok := request.(interface{ GetNode() string })
	if !ok {
		return fmt.Errorf("%s names no node", method)
	}
	err := c.try(ctx, named.GetNode(), func(conn *connection, header *metadata.MD) error {
		return conn.Invoke(ctx, method, request, answer, append(opts, grpc.Header(header))...)
	})
	if err != nil {
		what := path.Base(method)
		if r, ok := request.(interface{ GetDriver() string }); ok {
			what += " " + r.GetDriver()
		}
		return fmt.Errorf("%s on node %s: %w", what, named.GetNode(), err)
	}
	if method == agentapi.Agent_Reboot_FullMethodName {
		// The connection is dead from now on, without notice.
		c.forget(named.GetNode(), nil)
	}
	return nil
}

// try calls a node's agent, and retries once after a lost connection, as when the agent's pod was replaced: all
// requests are idempotent. Errors: ErrProtocol, of ctx, or of the agent.
func (c *Client) try(ctx context.Context, node string, call func(*connection, *metadata.MD) error) error {
	conn, err := c.connection(node)
	if err != nil {
		return err
	}
	var header metadata.MD
	err = call(conn, &header)
	if isLost(ctx, err) {
		// gRPC would wait before it dials again. It fails calls before it reports TransientFailure.
		if conn.GetState() != connectivity.Ready {
			c.forget(node, conn)
		}
		if conn, err = c.connection(node); err != nil {
			return err
		}
		err = call(conn, &header)
	}
	return conn.judge(ctx, header, err)
}

// NewStream implements grpc.ClientConnInterface. There is no request yet to name a node: DialPlugin has the only
// stream.
func (*Client) NewStream(context.Context, *grpc.StreamDesc, string, ...grpc.CallOption) (grpc.ClientStream, error) {
	return nil, errors.ErrUnsupported
}

// isLost reports whether a request may have been lost: agents return neither code.
func isLost(ctx context.Context, err error) bool {
	code := status.Code(err)
	return code == codes.Unavailable || code == codes.Canceled && ctx.Err() == nil
}

func (c *Client) connection(node string) (*connection, error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	conn := c.nodes[node]
	if conn == nil {
		var err error
		if conn, err = connect(c.dial(node)); err != nil {
			return nil, err
		}
		c.nodes[node] = conn
	}
	return conn, nil
}

// forget closes the connection to a node's agent, unless another one than stale is open; nil matches any.
func (c *Client) forget(node string, stale *connection) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if conn := c.nodes[node]; conn != nil && (stale == nil || conn == stale) {
		conn.close()
		delete(c.nodes, node)
	}
}

func versionError(version string) error {
	return fmt.Errorf("%w: the agent's is %q, this dratest's is %q: install the dra-sim image built with this dratest (default %s)",
		ErrProtocol, version, agentapi.Version, deploy.DefaultImage)
}
