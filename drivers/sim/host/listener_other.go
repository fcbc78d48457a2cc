//go:build !linux

package host

import (
	"errors"
	"net"
)

// listener is known on Linux only, where nodes are.
func listener(*net.UnixConn) (pid int, err error) {
	return 0, errors.ErrUnsupported
}
