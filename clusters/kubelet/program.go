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

package kubelet

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/dra-conformance/dratest/clusters"
)

// Node is a machine with command access; String is its name in the cluster.
type Node interface {
	fmt.Stringer
	// Run runs a command and returns its standard output. The input may be nil.
	Run(ctx context.Context, input io.Reader, args ...string) (string, error)
}

// Stock is the node's original program.
const Stock = ""

// The kubelet's unit runs program. To replace it, program becomes a link into directory and the original is kept beside
// it: the link alone shows the current program, and each change is atomic.
const (
	program = "/usr/bin/kubelet"
	kept    = program + ".stock"
	folder  = "/usr/local/lib/dratest"
)

// Place copies a program to a node if missing, and returns its path.
func Place(ctx context.Context, on Node, b clusters.ComponentBinary) (path string, copied bool, err error) {
	path = folder + "/kubelet-" + b.Key
	there, err := on.Run(ctx, nil, "sh", "-c", `[ ! -x "$1" ] || echo there`, "sh", path)
	if err != nil || there != "" {
		return path, false, err
	}
	f, err := os.Open(b.Path)
	if err != nil {
		return "", false, fmt.Errorf("copy the kubelet to %s: %w", on, err)
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return "", false, fmt.Errorf("copy the kubelet to %s: %w", on, err)
	}
	// The size is checked, because the input ends early when this process is killed.
	const script = `set -e; mkdir -p "${1%/*}"; new=$1.$$; trap 'rm -f "$new"' EXIT
cat >"$new"; [ "$(wc -c <"$new")" -eq "$2" ]; chmod 755 "$new"; mv -T "$new" "$1"`
	if _, err := on.Run(ctx, f, "sh", "-c", script, "sh", path, fmt.Sprint(info.Size())); err != nil {
		return "", false, fmt.Errorf("copy the kubelet to %s: %w", on, err)
	}
	return path, true, nil
}

// InPlace is the program of the node's kubelet unit: Stock, or a path returned by Place.
func InPlace(ctx context.Context, on Node) (string, error) {
	out, err := on.Run(ctx, nil, "sh", "-c", `readlink "$1" || true`, "sh", program)
	if err != nil {
		return "", fmt.Errorf("find out what runs as the kubelet of %s: %w", on, err)
	}
	if path := strings.TrimSpace(out); strings.HasPrefix(path, folder+"/") {
		return path, nil
	}
	return Stock, nil
}

func put(ctx context.Context, on Node, path string) error {
	const script = `set -e
if [ -n "$1" ]; then
  [ -L "$2" ] || ln -fT "$2" "$3"
  ln -sfT "$1" "$2.new"; mv -T "$2.new" "$2"
elif [ -L "$2" ]; then
  mv -T "$3" "$2"
fi
systemctl restart kubelet`
	if _, err := on.Run(ctx, nil, "sh", "-c", script, "sh", path, program, kept); err != nil {
		return fmt.Errorf("restart the kubelet of %s as %s: %w", on, nameOf(path), err)
	}
	return nil
}

func nameOf(path string) string {
	if path == Stock {
		return "the stock one"
	}
	return path
}
