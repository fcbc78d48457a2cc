package host

import (
	"fmt"
	"net"

	"github.com/prometheus/procfs"

	"github.com/dra-conformance/dratest/framework/spec"
)

// ListenerUse is what the process uses that listens at the other end of a connection to a
// Unix socket.
func ListenerUse(conn net.Conn) (use spec.ProcessUse, err error) {
	pid, err := listenerOf(conn)
	if err != nil {
		return use, err
	}
	process, err := procfs.NewProc(pid)
	if err != nil {
		return use, fmt.Errorf("look at process %d: %w", pid, err)
	}
	status, err := process.NewStatus()
	if err != nil {
		return use, fmt.Errorf("read the memory of process %d: %w", pid, err)
	}
	files, err := process.FileDescriptorsLen()
	if err != nil {
		return use, fmt.Errorf("count the files of process %d: %w", pid, err)
	}
	return spec.ProcessUse{Memory: status.VmRSS, FileDescriptors: files}, nil
}
