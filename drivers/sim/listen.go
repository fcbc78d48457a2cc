package sim

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"sync/atomic"
)

// counted listens at a socket and counts who connects.
type counted struct {
	net.Listener

	path        string
	connections *atomic.Int64
}

// listen opens a socket as the library does: one that a dead process has left is replaced, and
// it is gone when it is closed.
func listen(connections *atomic.Int64) func(ctx context.Context, path string) (net.Listener, error) {
	return func(ctx context.Context, path string) (net.Listener, error) {
		if err := removeSocket(path); err != nil {
			return nil, err
		}
		listener, err := (&net.ListenConfig{}).Listen(ctx, "unix", path)
		if err != nil {
			return nil, errors.Join(err, removeSocket(path))
		}
		return &counted{Listener: listener, path: path, connections: connections}, nil
	}
}

// Accept implements net.Listener.
func (c *counted) Accept() (net.Conn, error) {
	conn, err := c.Listener.Accept()
	if err == nil {
		c.connections.Add(1)
	}
	return conn, err
}

// Close implements net.Listener.
func (c *counted) Close() error {
	return errors.Join(c.Listener.Close(), removeSocket(c.path))
}

func removeSocket(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove socket: %w", err)
	}
	return nil
}
