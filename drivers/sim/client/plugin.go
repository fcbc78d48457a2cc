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
	"io"
	"net"
	"time"

	"google.golang.org/grpc/metadata"

	"github.com/dra-conformance/dratest/framework/agentapi"
)

// DialPlugin connects to the plugin socket of any driver on a node through the agent.
func (c *Client) DialPlugin(ctx context.Context, node, driver string) (net.Conn, error) {
	var plugin net.Conn
	err := c.try(ctx, node, func(conn *connection, header *metadata.MD) (err error) {
		plugin, err = conn.dialPlugin(ctx, &agentapi.Chunk{Node: node, Driver: driver}, header)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("reach node %s: %w", node, err)
	}
	return plugin, nil
}

func (c *connection) dialPlugin(ctx context.Context, first *agentapi.Chunk, header *metadata.MD) (net.Conn, error) {
	// The stream outlives the dialing.
	streaming, cancel := context.WithCancel(context.WithoutCancel(ctx))
	dialing := context.AfterFunc(ctx, cancel)
	stream, err := agentapi.NewAgentClient(c).ConnectPlugin(streaming)
	if err == nil {
		if err = stream.Send(first); err == nil || errors.Is(err, io.EOF) { // Recv says why
			_, err = stream.Recv()
		}
		*header, _ = stream.Header()
	}
	if err == nil && !dialing() {
		err = ctx.Err()
	}
	if err != nil {
		cancel()
		return nil, err
	}
	return &forwarded{Pipe: agentapi.Pipe{Stream: stream}, cancel: cancel}, nil
}

// forwarded is a connection forwarded by the agent. Like a stream, it has no deadlines.
type forwarded struct {
	agentapi.Pipe
	cancel context.CancelFunc
}

// Close implements net.Conn; it wakes a Read.
func (f *forwarded) Close() error {
	f.cancel()
	return nil
}

// LocalAddr implements net.Conn.
func (*forwarded) LocalAddr() net.Addr { return address("dratest") }

// RemoteAddr implements net.Conn.
func (*forwarded) RemoteAddr() net.Addr { return address("driver") }

// SetDeadline implements net.Conn.
func (*forwarded) SetDeadline(time.Time) error { return errors.ErrUnsupported }

// SetReadDeadline implements net.Conn.
func (*forwarded) SetReadDeadline(time.Time) error { return errors.ErrUnsupported }

// SetWriteDeadline implements net.Conn.
func (*forwarded) SetWriteDeadline(time.Time) error { return errors.ErrUnsupported }
