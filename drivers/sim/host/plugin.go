package host

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	registerapi "k8s.io/kubelet/pkg/apis/pluginregistration/v1"
)

// asking is how long a socket has to say whose it is: dead ones are passed over.
const asking = 2 * time.Second

// DialPlugin connects to the plugin socket of a DRA driver: that which the newest of its
// sockets in the registry directory names. A path that is not in this process's container
// is looked for below root. The error says which drivers have registered.
func DialPlugin(ctx context.Context, registry, root, driver string) (net.Conn, error) {
	sockets, err := newestFirst(registry)
	if err != nil {
		return nil, fmt.Errorf("look for registered drivers: %w", err)
	}
	var others []string
	for _, socket := range sockets {
		info, err := pluginInfo(ctx, socket)
		switch {
		case err != nil || info.GetType() != registerapi.DRAPlugin:
		case info.GetName() != driver:
			others = append(others, info.GetName())
		default:
			endpoint := info.GetEndpoint()
			if _, err := os.Stat(endpoint); errors.Is(err, fs.ErrNotExist) {
				endpoint = filepath.Join(root, endpoint)
			}
			return (&net.Dialer{}).DialContext(ctx, "unix", endpoint)
		}
	}
	return nil, fmt.Errorf("DRA driver %s has no socket in %s that answers; there are those of %v", driver, registry, others)
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
