package host

import (
	"errors"
	"net"

	"golang.org/x/sys/unix"
)

// listener is the process that listens on the other end of a connection: on Linux the
// credentials are those of when it began to listen (unix(7), SO_PEERCRED).
func listener(conn *net.UnixConn) (pid int, err error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return 0, err
	}
	var peer *unix.Ucred
	var asked error
	err = raw.Control(func(fd uintptr) { peer, asked = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED) })
	if err := errors.Join(err, asked); err != nil {
		return 0, err
	}
	if peer.Pid <= 0 {
		return 0, errors.New("it runs in another PID namespace")
	}
	return int(peer.Pid), nil
}
