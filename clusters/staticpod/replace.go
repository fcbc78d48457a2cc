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

package staticpod

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"k8s.io/client-go/kubernetes"
)

// Node is a machine with command access; String is its name in the cluster.
type Node interface {
	fmt.Stringer
	// Run runs a command and returns its standard output. The input may be nil.
	Run(ctx context.Context, input io.Reader, args ...string) (string, error)
}

// Replacement is the manifest to run.
type Replacement struct {
	Component Component
	// Manifest is the new one; its image must be on the node.
	Manifest []byte
	// Version is the expected reported version, as "v1.37.1".
	Version string
	// Gates are the expected reported feature gates; others are allowed.
	Gates map[string]bool
	// Timeout bounds the wait for the new component; zero means two minutes. Then the old manifest is restored.
	Timeout time.Duration
}

// Replaced is the result of Replace.
type Replaced struct {
	// From and To are the images.
	From, To string
	// LastOld is when the old component was last seen to work, Works when the new one was first; both are zero if the
	// manifest was in place already.
	LastOld, Works time.Time
}

// Downtime is the maximum downtime of the component.
func (r Replaced) Downtime() time.Duration { return r.Works.Sub(r.LastOld) }

const (
	pollInterval   = 100 * time.Millisecond
	defaultTimeout = 2 * time.Minute
	// undoTimeout bounds restoring the old manifest, and the wait for its component.
	undoTimeout = time.Minute
)

// Replace installs a component's manifest and returns once the new component runs alone, is ready, has the version,
// leads if it has to, and is shown by the API server. When ctx ends, either the complete old or the complete new
// manifest is in place for the kubelet. If the new component does not become healthy, the old one is restored and
// works when Replace returns, unless the error says otherwise; the error has the last log lines of the new one.
func Replace(ctx context.Context, on Node, client kubernetes.Interface, r Replacement) (Replaced, error) {
	old, err := Read(ctx, on, r.Component)
	if err != nil {
		return Replaced{}, err
	}
	next, err := newWaiting(on, client, r)
	if err != nil {
		return Replaced{}, err
	}
	before, err := newWaiting(on, client, Replacement{Component: r.Component, Manifest: old, Timeout: undoTimeout})
	if err != nil {
		return Replaced{}, err
	}
	done := Replaced{From: before.runs.Image, To: next.runs.Image}
	if bytes.Equal(old, r.Manifest) {
		return done, next.wait(ctx)
	}
	was, err := Ask(ctx, on, r.Component)
	if err != nil {
		return Replaced{}, err
	}
	next.old, before.replacement.Version = was.containers, was.Version
	next.lastOld = time.Now()
	if err := write(ctx, on, r.Component, r.Manifest); err != nil {
		return Replaced{}, fmt.Errorf("%w (%s)", err, inPlace(ctx, on, r.Component, old, r.Manifest))
	}
	if err := next.wait(ctx); err != nil {
		if ctx.Err() != nil {
			return Replaced{}, fmt.Errorf("%w (the new manifest of %s is in place on %s)", err, r.Component.Name, on)
		}
		return Replaced{}, errors.Join(err, before.putBack(ctx, r.Manifest))
	}
	done.LastOld, done.Works = next.lastOld, next.works
	return done, nil
}

// Read returns a component's manifest.
func Read(ctx context.Context, on Node, c Component) ([]byte, error) {
	out, err := on.Run(ctx, nil, "cat", path(c))
	if err != nil {
		return nil, fmt.Errorf("read the manifest of %s on %s: %w", c.Name, on, err)
	}
	return []byte(strings.TrimRight(out, "\n") + "\n"), nil
}

func path(c Component) string { return "/etc/kubernetes/manifests/" + c.Name + ".yaml" }

// write replaces a manifest atomically. The size is checked, because the input ends early when this process is
// killed.
func write(ctx context.Context, on Node, c Component, manifest []byte) error {
	const script = `set -e; umask 077; new=/etc/kubernetes/.dratest-$$; trap 'rm -f "$new"' EXIT
cat >"$new"; [ "$(wc -c <"$new")" -eq "$2" ]; mv -T "$new" "$1"`
	if _, err := on.Run(ctx, bytes.NewReader(manifest), "sh", "-c", script, "sh", path(c), fmt.Sprint(len(manifest))); err != nil {
		return fmt.Errorf("write the manifest of %s on %s: %w", c.Name, on, err)
	}
	return nil
}

// inPlace returns a node's current manifest, one of two, even after ctx has ended.
func inPlace(ctx context.Context, on Node, c Component, old, next []byte) string {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoTimeout)
	defer cancel()
	has, err := Read(ctx, on, c)
	switch {
	case err != nil:
		return fmt.Sprintf("whether the old or the new manifest of %s is in place on %s cannot be told: %v", c.Name, on, err)
	case bytes.Equal(has, old):
		return fmt.Sprintf("the old manifest of %s is in place on %s", c.Name, on)
	case bytes.Equal(has, next):
		return fmt.Sprintf("the new manifest of %s is in place on %s", c.Name, on)
	default:
		return fmt.Sprintf("neither the old nor the new manifest of %s is in place on %s", c.Name, on)
	}
}

// putBack replaces a failed manifest, even after ctx has ended, and waits until the restored component works. It
// always returns an error, with the outcome.
func (w *waiting) putBack(ctx context.Context, failed []byte) error {
	c, manifest := w.replacement.Component, w.replacement.Manifest
	writing, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoTimeout)
	defer cancel()
	if now, err := Ask(writing, w.on, c); err == nil {
		w.old = now.containers
	}
	if err := write(writing, w.on, c, manifest); err != nil {
		return fmt.Errorf("put the old one back: %w (%s)", err, inPlace(ctx, w.on, c, manifest, failed))
	}
	if w.replacement.Version == "" {
		return errors.New("the old manifest was put back; its component did not work before either")
	}
	if err := w.wait(ctx); err != nil {
		return fmt.Errorf("the old manifest was put back, but: %w", err)
	}
	return fmt.Errorf("the old manifest was put back, and %s works again", c.Name)
}
