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
	"errors"
	"net"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
)

// A service listening while shut replaces the socket of a dead process when opened, closes its connections when shut
// again, and drops closed connections.
func TestServiceListens(t *testing.T) {
	path := filepath.Join(shortDir(t), "dra.sock")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := &service{connections: &atomic.Int64{}, shut: true}
	listener, err := s.listen(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	var accepting sync.WaitGroup
	conns := make(chan net.Conn)
	accepting.Go(func() {
		defer close(conns)
		for {
			conn, err := listener.Accept()
			if err != nil {
				if !errors.Is(err, net.ErrClosed) {
					t.Errorf("accept: %v", err)
				}
				return
			}
			conns <- conn
		}
	})
	serve := func(on bool) {
		t.Helper()
		if err := s.serve(t.Context(), on); err != nil {
			t.Fatal(err)
		}
	}
	dial := func() net.Conn {
		t.Helper()
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "unix", path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		return conn
	}

	remembered := func() int {
		s.mutex.Lock()
		defer s.mutex.Unlock()
		return len(s.accepted)
	}

	serve(true)
	serve(true)
	dial()
	ended := <-conns
	if err := ended.Close(); err != nil || remembered() != 0 || s.connections.Load() != 1 {
		t.Errorf("%v; %d connections of %d are there when one has ended", err, remembered(), s.connections.Load())
	}
	there := dial()
	<-conns
	serve(false)
	if _, err := there.Read(make([]byte, 1)); err == nil {
		t.Error("a connection goes on when the service is shut")
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket when the service is shut: %v", err)
	}
	if err := errors.Join(listener.Close(), listener.Close()); err != nil {
		t.Error(err)
	}
	accepting.Wait()
	serve(true) // too late: nothing listens
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket when the service is closed: %v", err)
	}
}
