package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/dra-conformance/dratest/drivers/sim/protocol"
)

// DialPlugin connects to the plugin socket of any driver on a node, which the agent
// forwards to.
func (c *Client) DialPlugin(ctx context.Context, node, driver string) (net.Conn, error) {
	conn, err := c.dialPlugin(ctx, node, driver)
	if errors.Is(err, errBroken) {
		conn, err = c.dialPlugin(ctx, node, driver)
	}
	if err != nil {
		return nil, fmt.Errorf("reach node %s: %w", node, err)
	}
	return conn, nil
}

func (c *Client) dialPlugin(ctx context.Context, node, driver string) (net.Conn, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://dra-sim"+protocol.Plugin+driver, nil)
	if err != nil {
		return nil, fmt.Errorf("make request: %w", err)
	}
	request.Header.Set("Connection", "Upgrade")
	request.Header.Set("Upgrade", protocol.UpgradePlugin)
	response, err := c.connection(node).http.Do(request)
	if err != nil {
		if outer := (*url.Error)(nil); errors.As(err, &outer) {
			err = outer.Err
		}
		return nil, fmt.Errorf("talk to dra-sim: %w", err)
	}
	if both, ok := response.Body.(io.ReadWriteCloser); ok && response.StatusCode == http.StatusSwitchingProtocols {
		return forwarded{both}, nil
	}
	content, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	_ = response.Body.Close()
	if err := errors.Join(err, decode(response, content, nil)); err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("dra-sim answers %s and does not forward", response.Status)
}

// Specs are the CDI files of a node, by path.
func (c *Client) Specs(ctx context.Context, node string) (map[string][]byte, error) {
	var files map[string][]byte
	if err := c.do(ctx, node, http.MethodGet, protocol.Specs, nil, &files); err != nil {
		return nil, fmt.Errorf("read CDI files of node %s: %w", node, err)
	}
	return files, nil
}

// RemoveSpec removes a CDI file of a node, or what ObstructSpec has put in its place.
func (c *Client) RemoveSpec(ctx context.Context, node, path string) error {
	if err := c.do(ctx, node, http.MethodDelete, specPath(path), nil, nil); err != nil {
		return fmt.Errorf("change CDI files of node %s: %w", node, err)
	}
	return nil
}

// ObstructSpec keeps a CDI file of a node that is not there from being written.
func (c *Client) ObstructSpec(ctx context.Context, node, path string) error {
	if err := c.do(ctx, node, http.MethodPut, specPath(path), nil, nil); err != nil {
		return fmt.Errorf("change CDI files of node %s: %w", node, err)
	}
	return nil
}

func specPath(path string) string { return protocol.Specs + "?path=" + url.QueryEscape(path) }

// forwarded is a connection that the agent forwards. Like a stream, it has no deadlines.
type forwarded struct{ io.ReadWriteCloser }

// LocalAddr implements net.Conn.
func (forwarded) LocalAddr() net.Addr { return address("dratest") }

// RemoteAddr implements net.Conn.
func (forwarded) RemoteAddr() net.Addr { return address("driver") }

// SetDeadline implements net.Conn.
func (forwarded) SetDeadline(time.Time) error { return errors.ErrUnsupported }

// SetReadDeadline implements net.Conn.
func (forwarded) SetReadDeadline(time.Time) error { return errors.ErrUnsupported }

// SetWriteDeadline implements net.Conn.
func (forwarded) SetWriteDeadline(time.Time) error { return errors.ErrUnsupported }
