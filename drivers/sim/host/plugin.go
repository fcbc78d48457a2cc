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
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"

	"github.com/dra-conformance/dratest/drivers/nodefiles"
)

// DialPlugin connects to the plugin socket of a DRA driver, as named by the newest of its sockets in the registry
// directory. A path missing in this process's container is looked up below root. The error lists the registered
// drivers.
func DialPlugin(ctx context.Context, registry, root, driver string) (net.Conn, error) {
	sockets, err := nodefiles.Sockets(ctx, registry, root)
	if err != nil {
		return nil, err
	}
	var others []string
	for _, s := range sockets {
		switch {
		case s.Driver == "", s.IsProxy(): // nobody, or no DRA driver
		case s.Driver == driver:
			return nodefiles.Dial(ctx, s.Endpoint, root)
		default:
			others = append(others, s.Driver)
		}
	}
	return nil, fmt.Errorf("DRA driver %s has no responding socket in %s; found sockets of %v", driver, registry, others)
}

// KillPlugin kills the process behind the plugin socket of a DRA driver, found as by DialPlugin, and returns when it
// has ended. The process must be in this process's PID namespace, and another one.
func KillPlugin(ctx context.Context, registry, root, driver string) error {
	conn, err := DialPlugin(ctx, registry, root, driver)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	if err := KillListener(conn); err != nil {
		return fmt.Errorf("kill driver %s: %w", driver, err)
	}
	// The kernel closes its sockets last.
	ended := make(chan struct{})
	go func() {
		for buffer := make([]byte, 512); ; {
			if _, err := conn.Read(buffer); err != nil {
				close(ended)
				return
			}
		}
	}()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return errors.Join(fmt.Errorf("wait for driver %s to end", driver), context.Cause(ctx))
	}
}

// KillListener kills the process listening at the other end of a connection to a Unix socket, unless it is this one.
// It does not wait for its end.
func KillListener(conn net.Conn) error {
	pid, err := listenerOf(conn)
	if err != nil {
		return err
	}
	if pid == os.Getpid() {
		return errors.New("it is this process")
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		return fmt.Errorf("kill process %d: %w", pid, err)
	}
	return nil
}

func listenerOf(conn net.Conn) (pid int, err error) {
	unix, ok := conn.(*net.UnixConn)
	if !ok {
		return 0, errors.New("the connection is of another kind")
	}
	if pid, err = listener(unix); err != nil {
		return 0, fmt.Errorf("find the process: %w", err)
	}
	return pid, nil
}
