package host_test

import (
	"crypto/sha256"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/dra-conformance/dratest/drivers/sim/host"
)

func TestProgramDigest(t *testing.T) {
	dir, err := os.MkdirTemp("", "host") // sockets have short paths
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	socket := filepath.Join(dir, "s")
	if _, err := host.ProgramDigest(t.Context(), socket, "/proc"); err == nil {
		t.Error("no error without a listener")
	}
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}

	got, err := host.ProgramDigest(t.Context(), socket, "/proc")

	if want := fmt.Sprintf("sha256:%x", sha256.Sum256(program)); err != nil || got != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
	if _, err := host.ProgramDigest(t.Context(), socket, dir); err == nil {
		t.Error("no error without the process's program")
	}
}
