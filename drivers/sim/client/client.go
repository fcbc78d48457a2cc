package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/dra-conformance/dratest/drivers/sim/deploy"
	"github.com/dra-conformance/dratest/drivers/sim/protocol"
	"github.com/dra-conformance/dratest/framework/spec"
)

// maxAnswer bounds an answer: evidence of a busy node.
const maxAnswer = 64 << 20

var (
	// ErrProtocol: the agent and this program do not speak the same version.
	ErrProtocol = errors.New("dra-sim speaks another protocol version")
	// ErrNotFound: there is no driver instance of that name on the node.
	ErrNotFound = errors.New("driver instance not found")
)

// Client drives the agents of one cluster. It may be used by several
// goroutines; Close ends its connections.
type Client struct {
	// dial returns what connects to a node's agent.
	dial func(node string) dialer

	mutex sync.Mutex
	nodes map[string]*connection
}

// connection is the HTTP side of a node's agent.
type connection struct {
	http   http.Client
	dialer dialer
}

func (c *connection) close() {
	c.http.CloseIdleConnections()
	c.dialer.close()
}

// New returns a client for the cluster that config leads to. It connects to a
// node's agent when that is first needed.
func New(config *rest.Config) (*Client, error) {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("make client for dra-sim: %w", err)
	}
	return &Client{
		dial:  func(node string) dialer { return newTunnel(config, client, node) },
		nodes: map[string]*connection{},
	}, nil
}

// Close ends all connections; the client can not be used afterwards.
func (c *Client) Close() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for _, conn := range c.nodes {
		conn.close()
	}
	c.nodes = map[string]*connection{}
}

// Start starts a driver instance on a node; its sockets are open when Start
// returns. Errors: ErrProtocol, or what the agent says.
func (c *Client) Start(ctx context.Context, node string, config spec.DriverConfig) error {
	if err := c.do(ctx, node, http.MethodPut, protocol.Drivers+config.Name, config, nil); err != nil {
		return fmt.Errorf("start driver %s on node %s: %w", config.Name, node, err)
	}
	return nil
}

// Change changes a running instance. With Upgrade it returns once the kubelet
// has registered the new one. Errors: ErrNotFound, ErrProtocol, or what the
// agent says.
func (c *Client) Change(ctx context.Context, node, driver string, change spec.DriverChange) error {
	if err := c.do(ctx, node, http.MethodPatch, protocol.Drivers+driver, change, nil); err != nil {
		return fmt.Errorf("change driver %s on node %s: %w", driver, node, err)
	}
	return nil
}

// Status tells the state of an instance. Errors: ErrNotFound, ErrProtocol, or
// what the agent says.
func (c *Client) Status(ctx context.Context, node, driver string) (spec.DriverStatus, error) {
	var status spec.DriverStatus
	if err := c.do(ctx, node, http.MethodGet, protocol.Drivers+driver, nil, &status); err != nil {
		return spec.DriverStatus{}, fmt.Errorf("get status of driver %s on node %s: %w", driver, node, err)
	}
	return status, nil
}

// Drivers are the names of the instances on a node, sorted. Errors: ErrProtocol, or what the
// agent says.
func (c *Client) Drivers(ctx context.Context, node string) ([]string, error) {
	var names []string
	if err := c.do(ctx, node, http.MethodGet, protocol.Drivers, nil, &names); err != nil {
		return nil, fmt.Errorf("list drivers on node %s: %w", node, err)
	}
	return names, nil
}

// Stop ends an instance and removes its sockets, CDI files and ResourceSlices;
// one that does not exist is no error.
func (c *Client) Stop(ctx context.Context, node, driver string) error {
	if err := c.do(ctx, node, http.MethodDelete, protocol.Drivers+driver, nil, nil); err != nil {
		return fmt.Errorf("stop driver %s on node %s: %w", driver, node, err)
	}
	return nil
}

// Evidence returns files of a node by names that say what they are; logs start
// at since. What could be read is returned also when the error names the rest.
func (c *Client) Evidence(ctx context.Context, node string, since time.Time) (map[string][]byte, error) {
	path := protocol.EvidencePath
	if !since.IsZero() {
		path += "?since=" + url.QueryEscape(since.Format(time.RFC3339))
	}
	var answer protocol.Evidence
	if err := c.do(ctx, node, http.MethodGet, path, nil, &answer); err != nil {
		return nil, fmt.Errorf("read evidence of node %s: %w", node, err)
	}
	if len(answer.Missing) > 0 {
		return answer.Files, fmt.Errorf("read evidence of node %s: %s", node, strings.Join(answer.Missing, "; "))
	}
	return answer.Files, nil
}

// KubeletLines returns the lines of a node's kubelet log since then that contain a text,
// the last two MiB of them. What could be read is returned also when there is an error.
func (c *Client) KubeletLines(ctx context.Context, node string, since time.Time, text string) ([]byte, error) {
	query := url.Values{"since": {since.Format(time.RFC3339)}, "text": {text}}
	var lines protocol.Lines
	if err := c.do(ctx, node, http.MethodGet, protocol.KubeletLines+"?"+query.Encode(), nil, &lines); err != nil {
		return nil, fmt.Errorf("read the kubelet's log on node %s: %w", node, err)
	}
	if lines.Problem != "" {
		return lines.Log, fmt.Errorf("read the kubelet's log on node %s: %s", node, lines.Problem)
	}
	return lines.Log, nil
}

// RestartKubelet has a node's kubelet restarted; that goes on when it returns.
func (c *Client) RestartKubelet(ctx context.Context, node string) error {
	if err := c.do(ctx, node, http.MethodPost, protocol.Restart, nil, nil); err != nil {
		return fmt.Errorf("restart the kubelet of node %s: %w", node, err)
	}
	return nil
}

// RestartNode has a whole node restarted; that has only begun when it returns.
func (c *Client) RestartNode(ctx context.Context, node string) error {
	if err := c.do(ctx, node, http.MethodPost, protocol.RestartNode, nil, nil); err != nil {
		return fmt.Errorf("restart node %s: %w", node, err)
	}
	// What is connected leads nowhere from now on, and nobody else will say so.
	c.connection(node).close()
	return nil
}

// KubeletDigest is the digest of the program that is a node's kubelet. Errors:
// ErrProtocol, or what the agent says.
func (c *Client) KubeletDigest(ctx context.Context, node string) (string, error) {
	var program protocol.Program
	if err := c.do(ctx, node, http.MethodGet, protocol.KubeletProgram, nil, &program); err != nil {
		return "", fmt.Errorf("ask which program the kubelet of node %s is: %w", node, err)
	}
	return program.Digest, nil
}

// PodResources asks a node's kubelet for the devices of a pod.
func (c *Client) PodResources(ctx context.Context, node, namespace, pod string) (spec.PodResources, error) {
	var found spec.PodResources
	if err := c.do(ctx, node, http.MethodGet, protocol.PodResources+namespace+"/"+pod, nil, &found); err != nil {
		return found, fmt.Errorf("ask the kubelet of node %s: %w", node, err)
	}
	return found, nil
}

// CDIDevices asks a node's container runtime for the CDI devices of a container.
func (c *Client) CDIDevices(ctx context.Context, node, container string) ([]string, error) {
	var names []string
	if err := c.do(ctx, node, http.MethodGet, protocol.CDIDevices+"?container="+url.QueryEscape(container), nil, &names); err != nil {
		return nil, fmt.Errorf("ask the container runtime of node %s: %w", node, err)
	}
	return names, nil
}

// PodMemory asks a node how many bytes of memory a pod's cgroup allows.
func (c *Client) PodMemory(ctx context.Context, node, uid string) (int64, error) {
	var bytes int64
	if err := c.do(ctx, node, http.MethodGet, protocol.PodMemory+url.PathEscape(uid), nil, &bytes); err != nil {
		return 0, fmt.Errorf("ask node %s for the memory of pod %s: %w", node, uid, err)
	}
	return bytes, nil
}

// do sends one request; in and out are JSON unless nil. It is sent once more if
// it did not get to the agent, as when the agent's pod has been replaced.
func (c *Client) do(ctx context.Context, node, method, path string, in, out any) error {
	var body []byte
	if in != nil {
		var err error
		if body, err = json.Marshal(in); err != nil {
			return fmt.Errorf("encode request: %w", err)
		}
	}
	err := c.send(ctx, node, method, path, body, out)
	if errors.Is(err, errBroken) {
		err = c.send(ctx, node, method, path, body, out)
	}
	return err
}

func (c *Client) send(ctx context.Context, node, method, path string, body []byte, out any) error {
	// The host only names the agent; the connection's dialer leads there.
	request, err := http.NewRequestWithContext(ctx, method, "http://dra-sim"+path, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("make request: %w", err)
	}
	// All requests may be repeated, so that a connection that died while it was
	// idle is replaced without anybody noticing.
	request.Header["Idempotency-Key"] = []string{}
	response, err := c.connection(node).http.Do(request)
	if err != nil {
		// The URL of the request says nothing to anybody.
		if outer := (*url.Error)(nil); errors.As(err, &outer) {
			err = outer.Err
		}
		return fmt.Errorf("talk to dra-sim: %w", err)
	}
	content, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	_ = response.Body.Close()
	if err != nil {
		return fmt.Errorf("read answer: %w", err)
	}
	return decode(response, content, out)
}

func decode(response *http.Response, content []byte, out any) error {
	if version := response.Header.Get(protocol.VersionHeader); version != protocol.Version {
		return fmt.Errorf("%w: the agent's is %q, this dratest's is %q: install the dra-sim image that was built with this dratest (default %s)",
			ErrProtocol, version, protocol.Version, deploy.DefaultImage)
	}
	if response.StatusCode >= http.StatusBadRequest {
		var problem protocol.Problem
		if err := json.Unmarshal(content, &problem); err != nil {
			problem.Error = fmt.Sprintf("%s: %s", response.Status, content)
		}
		if response.StatusCode == http.StatusNotFound {
			return fmt.Errorf("%w: %s", ErrNotFound, problem.Error)
		}
		return errors.New(problem.Error)
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(content, out); err != nil {
		return fmt.Errorf("decode answer: %w", err)
	}
	return nil
}

func (c *Client) connection(node string) *connection {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	conn := c.nodes[node]
	if conn == nil {
		d := c.dial(node)
		conn = &connection{dialer: d, http: http.Client{Transport: &http.Transport{
			DialContext:     d.dial,
			IdleConnTimeout: 30 * time.Second,
		}}}
		c.nodes[node] = conn
	}
	return conn
}
