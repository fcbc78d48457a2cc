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

package modules

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/command"
	"github.com/dra-conformance/dratest/clusters/images/cache"
	"github.com/dra-conformance/dratest/clusters/images/source"
	"github.com/dra-conformance/dratest/clusters/progress"
)

// Builder builds programs into a cache.
type Builder struct {
	Cache    cache.Cache
	Progress *progress.Printer
	// GoVersion is the go command's version. Modules requiring a newer one are compiled by that.
	GoVersion string
	// GoCache is the go command's build cache; its free space is checked.
	GoCache string
}

// compileSpace bounds the growth of the Go build cache by compiling one large program, linkSpace the
// growth of ours by linking.
const (
	compileSpace = 3 * cache.GiB
	linkSpace    = cache.GiB
)

// NewBuilder queries the go command. The error wraps clusters.ErrEnvironment if there is no go command.
func NewBuilder(ctx context.Context, c cache.Cache, p *progress.Printer) (Builder, error) {
	b := Builder{Cache: c, Progress: p}
	for name, to := range map[string]*string{"GOVERSION": &b.GoVersion, "GOCACHE": &b.GoCache} {
		// In the cache's directory, to ignore any go.mod of the user.
		out, err := command.Run(ctx, command.Cmd{Args: []string{"go", "env", name}, Dir: c.Dir, Env: []string{"GOWORK=off"}})
		if command.NotFound(err) {
			return b, fmt.Errorf("%w: building a node image needs Go: %w: install it from https://go.dev/dl/, or use a built image with --image", clusters.ErrEnvironment, err)
		}
		if err != nil {
			return b, fmt.Errorf("ask the go command for %s: %w", name, err)
		}
		*to = out
	}
	return b, nil
}

// Path is where a program is or will be.
func (b Builder) Path(binary Binary) (path, key string, err error) {
	key, err = binary.Key(b.GoVersion)
	if err != nil {
		return "", "", err
	}
	return b.Cache.Path("bin", key, binary.Name), key, nil
}

// Build builds a program unless the cache has it, and returns its path.
func (b Builder) Build(ctx context.Context, binary Binary) (string, error) {
	path, _, err := b.Path(binary)
	if err != nil || cache.HasProgram(path) {
		return path, err
	}
	what := "build " + binary.Name
	switch {
	case binary.Checkout != "":
		what += " (" + binary.Checkout + ")"
	case binary.Module != "":
		what += " (" + binary.Module + ")"
	}
	err = b.Progress.Step(what, binary.Usually, func() error {
		if err := cache.NeedSpace(b.GoCache, compileSpace, what); err != nil {
			return err
		}
		if err := cache.NeedSpace(b.Cache.Dir, linkSpace, what); err != nil {
			return err
		}
		return cache.Explain(b.compile(ctx, binary, path), b.GoCache, compileSpace, what)
	})
	if err != nil {
		return "", fmt.Errorf("build %s: %w", binary.Name, err)
	}
	return path, nil
}

func (b Builder) compile(ctx context.Context, binary Binary, path string) error {
	if err := binary.unchanged(); err != nil {
		return err
	}
	dir, err := b.workFolder(binary)
	if err != nil {
		return err
	}
	temp, err := b.Cache.Temp("build-")
	if err != nil {
		return err
	}
	defer func() { _ = cache.RemoveAll(temp) }()
	out := filepath.Join(temp, binary.Name)
	pkg := binary.Package
	if binary.Source != nil {
		pkg = "."
	}
	args := append([]string{"go", "build", "-o", out}, binary.flags()...)
	_, err = command.Run(ctx, command.Cmd{
		Args: append(args, pkg),
		Dir:  dir,
		// GOTMPDIR: /tmp may be small.
		Env: []string{"CGO_ENABLED=0", "GOOS=linux", "GOARCH=" + runtime.GOARCH, "GOWORK=" + binary.workspace(), "GOTMPDIR=" + temp},
	})
	if err != nil {
		return source.Explain(binary.Name, err.Error(), err)
	}
	return b.Cache.Publish(out, path)
}

// unchanged returns an error if the checkout is not the one identified by CheckoutKey.
func (b Binary) unchanged() error {
	if b.Checkout == "" {
		return nil
	}
	key, err := source.Key(b.Checkout)
	if err == nil && key != b.CheckoutKey {
		err = fmt.Errorf("%w: the checkout %s has changed: pass its directory again to build the current files", clusters.ErrEnvironment, b.Checkout)
	}
	return err
}

// workspace is the go.work of a build: off, except for checkouts with one, such as Kubernetes with its staging
// modules.
func (b Binary) workspace() string {
	if file := filepath.Join(b.Checkout, "go.work"); b.Checkout != "" && cache.Exists(file) {
		return file
	}
	return "off"
}

// workFolder writes the module's files to a directory named after their content, and leaves it for the next program.
func (b Builder) workFolder(binary Binary) (string, error) {
	if binary.Checkout != "" {
		return binary.Checkout, nil
	}
	mod, sum, err := binary.moduleFiles()
	if err != nil {
		return "", err
	}
	hash := sha256.Sum256(append(append(append([]byte(nil), mod...), sum...), binary.Source...))
	dir := b.Cache.Path("modules", hex.EncodeToString(hash[:10]))
	content := map[string][]byte{"go.mod": mod, "go.sum": sum}
	if binary.Source != nil {
		content["main.go"] = binary.Source
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("make a module's directory: %w", err)
	}
	for name, data := range content {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return "", fmt.Errorf("write a module's files: %w", err)
		}
	}
	return dir, nil
}
