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

package images

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/dra-conformance/dratest/clusters/command"
	"github.com/dra-conformance/dratest/clusters/images/cache"
)

type stage struct {
	from, to string
	name     string
	parents  []string
}

// preloadSpace is the disk space of a preload in the cache and in the engine.
const preloadSpace = cache.GiB

// patience bounds containerd's start and stop.
const patience = time.Minute

// preload imports images into the containerd of a stage's image and commits the result as the next stage. Layers stay
// packed: overlayfs cannot be stacked on the engine's own, and packed layers are quicker to copy to nodes.
func (b *builder) preload(ctx context.Context, s stage, images []component) error {
	what := "preload the images of Kubernetes"
	usually := 8 * time.Second
	if s.name == "node" {
		what, usually = "preload the images of cases and driver", 2*time.Second
	}
	if slices.ContainsFunc(images, component.fromRootfs) {
		// The root file system may be gone from the cache since an earlier stage was built.
		if _, err := b.plan.rootfs.Build(ctx, b.cache, b.Progress); err != nil {
			return err
		}
	}
	return b.Progress.Step(what, usually, func() error {
		dir, err := b.engineSpace(ctx, preloadSpace, what)
		if err != nil {
			return err
		}
		return cache.Explain(b.preloadStage(ctx, s, images), dir, preloadSpace, what)
	})
}

func (b *builder) preloadStage(ctx context.Context, s stage, images []component) (err error) {
	temp, err := b.cache.Temp("layout-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, cache.RemoveAll(temp)) }()
	if err := b.writeLayout(ctx, s.from, temp, images); err != nil {
		return err
	}
	container, err := b.Engine.Run(ctx, "run", "--detach", "--label", labelBuilding+"="+building, "--network", "none",
		"--security-opt", "seccomp=unconfined", "--entrypoint", "sleep", s.from, "infinity")
	if err != nil {
		return err
	}
	defer func() {
		// Also after ctx has ended: nothing may be left.
		clean, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
		defer cancel()
		_, rmErr := b.Engine.Run(clean, "rm", "--force", "--volumes", container)
		err = errors.Join(err, rmErr)
	}()
	if err := b.importImages(ctx, container, temp, images); err != nil {
		return err
	}
	_, err = b.Engine.Run(ctx, commitArgs(b.labels(s.name, s.parents), container, s.to)...)
	return err
}

// commitArgs commit a build container as an image.
func commitArgs(labels [][2]string, container, image string) []string {
	args := []string{"commit", "--change", `ENTRYPOINT ["` + strings.Join(nodeEntrypoint(), `", "`) + `"]`, "--change", "CMD []"}
	for _, l := range append(labels, [2]string{labelBuilding, built}) {
		args = append(args, "--change", fmt.Sprintf("LABEL %s=%q", l[0], l[1]))
	}
	return append(args, container, image)
}

// importImages runs containerd in a container while it imports the images of a layout.
func (b *builder) importImages(ctx context.Context, container, layoutDir string, images []component) error {
	exec := func(args ...string) (string, error) {
		return b.Engine.Run(ctx, append([]string{"exec", container}, args...)...)
	}
	if _, err := b.Engine.Run(ctx, "exec", "--detach", container, "containerd", "--log-level=error"); err != nil {
		return err
	}
	list := func() (string, error) { return exec("ctr", "--namespace=k8s.io", "images", "list", "--quiet") }
	if err := wait(ctx, "containerd to start", func() error { _, err := list(); return err }); err != nil {
		return err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("make a pipe: %w", err)
	}
	packed := make(chan error, 1)
	go func() {
		_, err := command.Run(ctx, command.Cmd{Args: []string{"tar", "--create", "--file=-", "--directory=" + layoutDir, "."}, Stdout: io.Writer(w)})
		_ = w.Close()
		packed <- err
	}()
	// Pinned: the kubelet's image collection must leave them alone.
	_, err = b.Engine.Feed(ctx, r, "exec", "--interactive", container, "ctr", "--namespace=k8s.io", "images", "import",
		"--label=io.cri-containerd.pinned=pinned", "--all-platforms", "--no-unpack", "-")
	_ = r.Close() // ends tar if the import has stopped reading
	if err := errors.Join(err, <-packed); err != nil {
		return fmt.Errorf("import images: %w", err)
	}
	there, err := list()
	if err != nil {
		return err
	}
	for _, c := range images {
		if !slices.Contains(strings.Fields(there), c.ref) {
			return fmt.Errorf("import images: containerd has no %s, only %s", c.ref, strings.Join(strings.Fields(there), ", "))
		}
	}
	if _, err := exec("pkill", "-TERM", "-x", "containerd"); err != nil {
		return err
	}
	return wait(ctx, "containerd to stop", func() error {
		var failed *command.Error
		out, err := exec("pgrep", "-x", "containerd")
		if errors.As(err, &failed) { // pgrep fails when it finds nothing
			return nil
		}
		return errors.Join(err, fmt.Errorf("process %s still runs", out))
	})
}

// wait retries until done succeeds, and reports its last error.
func wait(ctx context.Context, what string, done func() error) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for {
		err := done()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for %s: %w: %w", what, context.Cause(ctx), err)
		case <-ticker.C:
		}
	}
}
