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
	// This process: it has the two sockets open, beside what the test binary began with.
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
