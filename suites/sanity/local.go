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

package sanity

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/dra-conformance/dratest/drivers/nodefiles"
)

// Local is a driver on the machine of this process.
type Local struct {
	// Socket is the path of the driver's plugin socket. It may be a pattern, as drivers with
	// rolling updates have a socket per process: the newest is used.
	Socket string
	// CDIDirs are the container runtime's CDI directories; missing ones are ignored.
	CDIDirs []string
	// RegistryDir is the kubelet's plugin registration directory.
	RegistryDir string
}

var (
	_ NodeAccess = Local{}
	_ Registry   = Local{}
	_ Files      = Local{}
)

// Dial implements NodeAccess.
func (l Local) Dial(ctx context.Context) (net.Conn, error) {
	paths, err := filepath.Glob(l.Socket)
	if err != nil {
		return nil, fmt.Errorf("socket %s: %w", l.Socket, err)
	}
	newest, at := l.Socket, time.Time{}
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil && info.ModTime().After(at) {
			newest, at = path, info.ModTime()
		}
	}
	return (&net.Dialer{}).DialContext(ctx, "unix", newest)
}

// Answers reports whether a socket of the driver is open.
func (l Local) Answers(ctx context.Context) bool {
	conn, err := l.Dial(ctx)
	if err != nil {
		return false
	}
	return conn.Close() == nil
}

// Specs implements NodeAccess.
func (l Local) Specs(context.Context) (map[string][]byte, error) {
	return nodefiles.CDIDirsAt(l.CDIDirs...).Read()
}

// RemoveSpec implements NodeAccess.
func (l Local) RemoveSpec(_ context.Context, path string) error {
	return nodefiles.CDIDirsAt(l.CDIDirs...).Remove(path)
}

// ObstructSpec implements NodeAccess.
func (l Local) ObstructSpec(_ context.Context, path string) error {
	return nodefiles.CDIDirsAt(l.CDIDirs...).Obstruct(path)
}

// Registrations implements Registry.
func (l Local) Registrations(ctx context.Context) ([]nodefiles.Socket, error) {
	return nodefiles.Sockets(ctx, l.RegistryDir, "/")
}

// Damage implements Files.
func (l Local) Damage(_ context.Context, path string) error { return nodefiles.Damage("/", path) }

// Restore implements Files.
func (l Local) Restore(_ context.Context, path string) error { return nodefiles.Restore("/", path) }
