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

package nodefiles

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	registerapi "k8s.io/kubelet/pkg/apis/pluginregistration/v1"
)

// asking bounds the query of a socket.
const asking = 2 * time.Second

// ProxyPrefix is the prefix of directories and sockets of dratest's own proxies.
const ProxyPrefix = "dratest-proxy-"

// Socket is one in the kubelet's registry.
type Socket struct {
	// Path is its file.
	Path string `json:"path"`
	// Driver is the registered DRA driver, and Endpoint the socket of its plugin API; both are empty without an answer
	// and for other kinds of plugins.
	Driver   string `json:"driver,omitempty"`
	Endpoint string `json:"endpoint,omitempty"`
	// Services are the endpoint's services, in the driver's order.
	Services []string `json:"services,omitempty"`
	// Dead: nobody listens, as after the process was killed.
	Dead bool `json:"dead,omitempty"`
	// Problem is why the endpoint is unusable; empty otherwise.
	Problem string `json:"problem,omitempty"`
}

// IsProxy reports whether a dratest proxy registered, instead of the driver itself.
func (s Socket) IsProxy() bool { return strings.HasPrefix(filepath.Base(s.Path), ProxyPrefix) }

// Sockets queries all sockets in a registry directory, newest first. Endpoints missing in this process's file system are
// looked up below root.
func Sockets(ctx context.Context, dir, root string) ([]Socket, error) {
	paths, err := newestFirst(dir)
	if err != nil {
		return nil, fmt.Errorf("look for registered drivers: %w", err)
	}
	sockets := make([]Socket, 0, len(paths))
	for _, path := range paths {
		sockets = append(sockets, ask(ctx, path, root))
	}
	return sockets, nil
}

// Dial connects to an endpoint as Sockets does.
func Dial(ctx context.Context, endpoint, root string) (net.Conn, error) {
	if _, err := os.Stat(endpoint); errors.Is(err, fs.ErrNotExist) {
		endpoint = filepath.Join(root, endpoint)
	}
	ctx, cancel := context.WithTimeout(ctx, asking)
	defer cancel()
	return (&net.Dialer{}).DialContext(ctx, "unix", endpoint)
}

func ask(ctx context.Context, path, root string) Socket {
	s := Socket{Path: path}
	conn, err := Dial(ctx, path, "")
	if err != nil {
		s.Dead, s.Problem = errors.Is(err, syscall.ECONNREFUSED), err.Error()
		return s
	}
	_ = conn.Close()
	info, err := pluginInfo(ctx, path)
	if err != nil {
		s.Problem = err.Error()
		return s
	}
	if info.GetType() != registerapi.DRAPlugin {
		return s
	}
	s.Driver, s.Endpoint, s.Services = info.GetName(), info.GetEndpoint(), info.GetSupportedVersions()
	if conn, err = Dial(ctx, s.Endpoint, root); err != nil {
		s.Problem = err.Error()
		return s
	}
	_ = conn.Close()
	return s
}

// newestFirst lists the sockets of a directory.
func newestFirst(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	times := map[string]time.Time{}
	var sockets []string
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil || info.Mode().Type() != fs.ModeSocket {
			continue
		}
		path := filepath.Join(dir, entry.Name())
		sockets, times[path] = append(sockets, path), info.ModTime()
	}
	slices.SortFunc(sockets, func(a, b string) int { return times[b].Compare(times[a]) })
	return sockets, nil
}

// pluginInfo asks as the kubelet does.
func pluginInfo(ctx context.Context, socket string) (*registerapi.PluginInfo, error) {
	ctx, cancel := context.WithTimeout(ctx, asking)
	defer cancel()
	conn, err := grpc.NewClient("unix://"+socket, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close() }()
	return registerapi.NewRegistrationClient(conn).GetInfo(ctx, &registerapi.InfoRequest{})
}
