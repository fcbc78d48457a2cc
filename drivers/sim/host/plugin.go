package host

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"

	"github.com/dra-conformance/dratest/drivers/registration"
)

// DialPlugin connects to the plugin socket of a DRA driver: that which the newest of its
// sockets in the registry directory names. A path that is not in this process's container
// is looked for below root. The error says which drivers have registered.
func DialPlugin(ctx context.Context, registry, root, driver string) (net.Conn, error) {
	sockets, err := registration.List(ctx, registry, root)
	if err != nil {
		return nil, err
	}
	var others []string
	for _, s := range sockets {
		switch s.Driver {
		case "": // nobody, or no DRA driver
		case driver:
			return registration.Dial(ctx, s.Endpoint, root)
		default:
			others = append(others, s.Driver)
		}
	}
	return nil, fmt.Errorf("DRA driver %s has no socket in %s that answers; there are those of %v", driver, registry, others)
}

// KillPlugin kills the process behind the plugin socket of a DRA driver, which is found as by
// DialPlugin, and returns when it has ended. The process must be in this process's view of
// process numbers, and another one.
func KillPlugin(ctx context.Context, registry, root, driver string) error {
	conn, err := DialPlugin(ctx, registry, root, driver)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	unix, ok := conn.(*net.UnixConn)
	if !ok {
		return fmt.Errorf("kill driver %s: the connection to it is of another kind", driver)
	}
	pid, err := listener(unix)
	if err != nil {
		return fmt.Errorf("find the process of driver %s: %w", driver, err)
	}
	if pid == os.Getpid() {
		return fmt.Errorf("kill driver %s: it is this process", driver)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		return fmt.Errorf("kill process %d of driver %s: %w", pid, driver, err)
	}
	// The kernel closes its sockets last.
	ended := make(chan error, 1)
	go func() {
		for buffer := make([]byte, 512); ; {
			if _, err := conn.Read(buffer); err != nil {
				ended <- err
				return
			}
		}
	}()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return errors.Join(fmt.Errorf("wait for process %d of driver %s to end", pid, driver), context.Cause(ctx))
	}
}
