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
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/dra-conformance/dratest/framework/agentapi"
)

// Idle connections are closed, and dead ones detected.
const (
	idleTime = 30 * time.Second
	pingTime = 10 * time.Second
)

type connection struct {
	*grpc.ClientConn
	dialer dialer
	// problem is the current connection error; gRPC would only quote it.
	problem atomic.Pointer[error]
}

func connect(d dialer) (*connection, error) {
	c := &connection{dialer: d}
	var err error
	c.ClientConn, err = grpc.NewClient("passthrough:///dra-sim",
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(c.dial),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(agentapi.MaxAnswer)),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: pingTime, Timeout: pingTime}),
		grpc.WithIdleTimeout(idleTime))
	if err != nil {
		return nil, fmt.Errorf("make client for dra-sim: %w", err)
	}
	return c, nil
}

func (c *connection) close() {
	_ = c.Close()
	c.dialer.close()
}

func (c *connection) dial(ctx context.Context, _ string) (net.Conn, error) {
	conn, err := c.dialer.dial(ctx)
	if err != nil {
		c.problem.Store(&err)
		return nil, err
	}
	c.problem.Store(nil)
	return &watched{Conn: conn, problem: &c.problem}, nil
}

// judge returns the error of a call answered with a header, or not at all.
func (c *connection) judge(ctx context.Context, header metadata.MD, err error) error {
	version := header.Get(agentapi.VersionHeader)
	switch {
	case len(version) > 0 && version[0] != agentapi.Version:
		return versionError(version[0])
	case err != nil && ctx.Err() != nil:
		return context.Cause(ctx)
	case status.Code(err) == codes.DeadlineExceeded: // by another clock
		return context.DeadlineExceeded
	case status.Code(err) == codes.Unavailable:
		if problem := c.problem.Load(); problem != nil {
			return fmt.Errorf("talk to dra-sim: %w", *problem)
		}
		return fmt.Errorf("talk to dra-sim: %s", status.Convert(err).Message())
	case len(version) == 0:
		return versionError("")
	case err != nil:
		return errors.New(status.Convert(err).Message())
	}
	return nil
}

// watched is a connection to an agent recording its read error.
type watched struct {
	net.Conn
	problem *atomic.Pointer[error]
	begun   bool
}

// Read implements net.Conn. Agents before version 10 speak HTTP/1.1.
func (w *watched) Read(p []byte) (int, error) {
	n, err := w.Conn.Read(p)
	if !w.begun && bytes.HasPrefix(p[:n], []byte("HTTP/1.")) {
		version := ""
		if response, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(p[:n])), nil); err == nil {
			version = response.Header.Get(agentapi.VersionHeader)
			_ = response.Body.Close()
		}
		older := versionError(version)
		w.problem.Store(&older)
	} else if err != nil && !errors.Is(err, io.EOF) {
		w.problem.Store(&err)
	}
	w.begun = true
	return n, err
}
