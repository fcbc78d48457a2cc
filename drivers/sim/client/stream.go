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
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"k8s.io/streaming/pkg/httpstream"

	"github.com/dra-conformance/dratest/framework/limit"
)

// errBroken: the other end of a port-forward could not reach the agent.
var errBroken = errors.New("port-forward")

// stream is one connection in a port-forward as a net.Conn. It has no deadlines: gRPC cancels by closing.
type stream struct {
	forward  httpstream.Connection
	data     httpstream.Stream
	problems httpstream.Stream

	closing sync.Once
	// reported is closed once the other side has reported its errors completely.
	reported chan struct{}
	problem  string
}

// maxProblem is the size limit of a port-forward's error, in bytes.
const maxProblem = 64 << 10

func newStream(forward httpstream.Connection, data, problems httpstream.Stream) *stream {
	s := &stream{forward: forward, data: data, problems: problems, reported: make(chan struct{})}
	go func() {
		defer close(s.reported)
		text, err := limit.ReadAll(problems, maxProblem)
		s.problem = string(text)
		if err != nil {
			s.problem += err.Error()
		}
		if s.problem != "" {
			// Its pod may be gone; the next dial opens another.
			_ = forward.Close()
		}
	}()
	return s
}

// Read implements net.Conn. The port-forward's error, such as "connection refused", takes precedence over its end of
// file.
func (s *stream) Read(p []byte) (int, error) {
	n, err := s.data.Read(p)
	if n > 0 || !errors.Is(err, io.EOF) {
		return n, err
	}
	patience := time.NewTimer(time.Second)
	defer patience.Stop()
	select {
	case <-s.reported:
		if s.problem != "" {
			return 0, fmt.Errorf("%w: %s", errBroken, s.problem)
		}
	case <-patience.C:
	}
	return 0, err
}

// Write implements net.Conn.
func (s *stream) Write(p []byte) (int, error) { return s.data.Write(p) }

// Close implements net.Conn; it wakes a Read.
func (s *stream) Close() error {
	var err error
	s.closing.Do(func() {
		err = errors.Join(s.data.Reset(), s.problems.Reset())
		s.forward.RemoveStreams(s.data, s.problems)
	})
	return err
}

// LocalAddr implements net.Conn.
func (*stream) LocalAddr() net.Addr { return address("dratest") }

// RemoteAddr implements net.Conn.
func (*stream) RemoteAddr() net.Addr { return address("dra-sim") }

// SetDeadline implements net.Conn.
func (*stream) SetDeadline(time.Time) error { return errors.ErrUnsupported }

// SetReadDeadline implements net.Conn.
func (*stream) SetReadDeadline(time.Time) error { return errors.ErrUnsupported }

// SetWriteDeadline implements net.Conn.
func (*stream) SetWriteDeadline(time.Time) error { return errors.ErrUnsupported }

type address string

func (address) Network() string  { return "port-forward" }
func (a address) String() string { return string(a) }
