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

package host

import (
	"net"
	"path/filepath"
	"testing"
)

func TestListenerUseIsOfTheProcessAtTheOtherEnd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.sock")
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	conn, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	use, err := ListenerUse(conn)
	// This process: it has the two sockets open, in addition to the test binary's initial files.
	if err != nil || use.Memory < 1<<20 || use.FileDescriptors < 5 {
		t.Errorf("got %+v, error %v", use, err)
	}
	more, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = more.Close() }()
	if after, err := ListenerUse(conn); err != nil || after.FileDescriptors <= use.FileDescriptors {
		t.Errorf("one file more: got %+v after %+v, error %v", after, use, err)
	}
}
