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
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
)

// ProgramDigest is the SHA-256 digest of the program listening on a Unix socket, as "sha256:0123…". The kernel
// identifies the process and has its program open: a name or a path could be another one. The process must share this
// process's PID namespace; proc is its file system.
func ProgramDigest(ctx context.Context, socket, proc string) (string, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, "unix", socket)
	if err != nil {
		return "", fmt.Errorf("find the program behind %s: %w", socket, err)
	}
	defer func() { _ = conn.Close() }()
	unix, ok := conn.(*net.UnixConn)
	if !ok {
		return "", errors.New("find the program behind a socket: the connection is of another kind")
	}
	pid, err := listener(unix)
	if err != nil {
		return "", fmt.Errorf("find the program behind %s: %w", socket, err)
	}
	file, err := os.Open(filepath.Join(proc, strconv.Itoa(pid), "exe"))
	if err != nil {
		return "", fmt.Errorf("open the program behind %s: %w", socket, err)
	}
	defer func() { _ = file.Close() }()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return "", fmt.Errorf("read the program behind %s: %w", socket, err)
	}
	return "sha256:" + hex.EncodeToString(hash.Sum(nil)), nil
}
