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

package sim

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"sync"
	"sync/atomic"
)

// service is a driver's service socket for the kubelet, separate from its registration socket. It counts connections,
// and can be shut and opened again with a server listening.
type service struct {
	connections *atomic.Int64

	mutex sync.Mutex
	path  string
	shut  bool
	// listener is nil while shut, before listen and after Close.
	listener net.Listener
	accepted map[*accepted]bool
	closed   bool
	// changed is told when listener or closed changes.
	changed *sync.Cond
}

// listen implements the library's opening of the socket.
func (s *service) listen(ctx context.Context, path string) (net.Listener, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.path, s.changed = path, sync.NewCond(&s.mutex)
	if s.shut {
		return s, nil
	}
	if err := s.open(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// serve opens the socket, or shuts it with all connections; it is idempotent.
func (s *service) serve(ctx context.Context, on bool) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.closed || s.shut != on {
		return nil
	}
	if on {
		if err := s.open(ctx); err != nil {
			return err
		}
	}
	s.shut = !on
	var err error
	if s.shut {
		err = s.leave()
	}
	s.changed.Broadcast()
	return err
}

// open opens the socket as the library does, replacing that of a dead process.
func (s *service) open(ctx context.Context) error {
	if err := removeSocket(s.path); err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "unix", s.path)
	if err != nil {
		return errors.Join(err, removeSocket(s.path))
	}
	s.listener = listener
	return nil
}

func (s *service) leave() error {
	var err error
	if s.listener != nil {
		err = s.listener.Close()
	}
	for conn := range s.accepted {
		_ = conn.Conn.Close() // it may have ended
	}
	s.listener, s.accepted = nil, nil
	return errors.Join(err, removeSocket(s.path))
}

// Accept implements net.Listener. It waits while the socket is shut.
func (s *service) Accept() (net.Conn, error) {
	for {
		s.mutex.Lock()
		for s.listener == nil && !s.closed {
			s.changed.Wait()
		}
		listener := s.listener
		s.mutex.Unlock()
		if listener == nil {
			return nil, net.ErrClosed
		}
		conn, err := listener.Accept()
		if err != nil {
			if s.current(listener) {
				return nil, err
			}
			continue
		}
		if taken := s.accept(listener, conn); taken != nil {
			return taken, nil
		}
	}
}

func (s *service) current(listener net.Listener) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.listener == listener
}

// accept takes a connection, unless the socket was shut since it was opened.
func (s *service) accept(listener net.Listener, conn net.Conn) net.Conn {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.listener != listener {
		_ = conn.Close()
		return nil
	}
	s.connections.Add(1)
	taken := &accepted{Conn: conn, service: s}
	if s.accepted == nil {
		s.accepted = map[*accepted]bool{}
	}
	s.accepted[taken] = true
	return taken
}

// accepted is a connection closed with its service.
type accepted struct {
	net.Conn

	service *service
}

// Close implements net.Conn.
func (a *accepted) Close() error {
	a.service.mutex.Lock()
	delete(a.service.accepted, a)
	a.service.mutex.Unlock()
	return a.Conn.Close()
}

// Close implements net.Listener. It removes the socket; the server closes its connections.
func (s *service) Close() error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	defer s.changed.Broadcast()
	s.accepted = nil
	return s.leave()
}

// Addr implements net.Listener.
func (s *service) Addr() net.Addr {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return &net.UnixAddr{Name: s.path, Net: "unix"}
}

func removeSocket(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove socket: %w", err)
	}
	return nil
}
