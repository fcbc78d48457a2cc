package client

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/dra-conformance/dratest/drivers/registration"
	"github.com/dra-conformance/dratest/drivers/sim/protocol"
	"github.com/dra-conformance/dratest/framework/spec"
)

// KillPlugin kills the process of any driver on a node that has registered there.
func (c *Client) KillPlugin(ctx context.Context, node, driver string) error {
	if err := c.do(ctx, node, http.MethodDelete, protocol.Plugin+driver, nil, nil); err != nil {
		return fmt.Errorf("kill driver %s on node %s: %w", driver, node, err)
	}
	return nil
}

// Registrations are the sockets in the registry of a node's kubelet, the newest first.
func (c *Client) Registrations(ctx context.Context, node string) ([]registration.Socket, error) {
	var sockets []registration.Socket
	if err := c.do(ctx, node, http.MethodGet, protocol.Registrations, nil, &sockets); err != nil {
		return nil, fmt.Errorf("look for registered drivers on node %s: %w", node, err)
	}
	return sockets, nil
}

// StartProxy puts a proxy before a driver on a node that others host. The kubelet registers
// it later.
func (c *Client) StartProxy(ctx context.Context, node, driver string, config spec.Proxy) error {
	if err := c.do(ctx, node, http.MethodPut, protocol.Proxies+driver, config, nil); err != nil {
		return fmt.Errorf("put a proxy before driver %s on node %s: %w", driver, node, err)
	}
	return nil
}

// ProxyStatus is the state of a proxy, as that of a driver. Errors: ErrNotFound.
func (c *Client) ProxyStatus(ctx context.Context, node, driver string) (spec.DriverStatus, error) {
	var status spec.DriverStatus
	if err := c.do(ctx, node, http.MethodGet, protocol.Proxies+driver, nil, &status); err != nil {
		return status, fmt.Errorf("ask the proxy before driver %s on node %s: %w", driver, node, err)
	}
	return status, nil
}

// StopProxy takes a proxy away; one that does not exist is no error.
func (c *Client) StopProxy(ctx context.Context, node, driver string) error {
	if err := c.do(ctx, node, http.MethodDelete, protocol.Proxies+driver, nil, nil); err != nil {
		return fmt.Errorf("take the proxy before driver %s on node %s away: %w", driver, node, err)
	}
	return nil
}

// StopSandbox has a node's container runtime stop the sandbox of a pod.
func (c *Client) StopSandbox(ctx context.Context, node, namespace, pod string) error {
	if err := c.do(ctx, node, http.MethodDelete, protocol.Sandbox+namespace+"/"+pod, nil, nil); err != nil {
		return fmt.Errorf("stop the sandbox of pod %s/%s on node %s: %w", namespace, pod, node, err)
	}
	return nil
}

// LoseCheckpoint has a node's kubelet stopped, what it remembers of claims removed, and the
// kubelet started; that goes on when it returns.
func (c *Client) LoseCheckpoint(ctx context.Context, node string) error {
	if err := c.do(ctx, node, http.MethodDelete, protocol.KubeletCheckpoint, nil, nil); err != nil {
		return fmt.Errorf("remove the checkpoint of the kubelet of node %s: %w", node, err)
	}
	return nil
}

// StopKubelet has a node's kubelet stopped, and started again after a time of up to two minutes;
// that goes on when it returns.
func (c *Client) StopKubelet(ctx context.Context, node string, down time.Duration) error {
	if err := c.do(ctx, node, http.MethodPost, protocol.KubeletDown+"?for="+down.String(), nil, nil); err != nil {
		return fmt.Errorf("stop the kubelet of node %s: %w", node, err)
	}
	return nil
}

// PutStaticPod writes the manifest of a pod, under a name that begins with "dratest-", into
// the directory in which a node's kubelet looks for static pods.
func (c *Client) PutStaticPod(ctx context.Context, node, dir, name string, pod *corev1.Pod) error {
	if err := c.do(ctx, node, http.MethodPut, staticPodPath(dir, name), pod, nil); err != nil {
		return fmt.Errorf("write static pod %s on node %s: %w", name, node, err)
	}
	return nil
}

// RemoveStaticPod undoes PutStaticPod; one that is not there is no error.
func (c *Client) RemoveStaticPod(ctx context.Context, node, dir, name string) error {
	if err := c.do(ctx, node, http.MethodDelete, staticPodPath(dir, name), nil, nil); err != nil {
		return fmt.Errorf("remove static pod %s from node %s: %w", name, node, err)
	}
	return nil
}

func staticPodPath(dir, name string) string {
	return protocol.StaticPods + name + "?dir=" + url.QueryEscape(dir)
}

// Damage spoils a file of a node, by its path there.
func (c *Client) Damage(ctx context.Context, node, path string) error {
	if err := c.do(ctx, node, http.MethodPut, checkpointPath(path), nil, nil); err != nil {
		return fmt.Errorf("damage %s of node %s: %w", path, node, err)
	}
	return nil
}

// Restore undoes Damage.
func (c *Client) Restore(ctx context.Context, node, path string) error {
	if err := c.do(ctx, node, http.MethodDelete, checkpointPath(path), nil, nil); err != nil {
		return fmt.Errorf("restore %s of node %s: %w", path, node, err)
	}
	return nil
}

func checkpointPath(path string) string {
	return protocol.Checkpoint + "?path=" + url.QueryEscape(path)
}
