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
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"golang.org/x/mod/modfile"

	"github.com/dra-conformance/dratest/clusters/command"
	"github.com/dra-conformance/dratest/clusters/images/cache"
	"github.com/dra-conformance/dratest/clusters/images/overlay"
)

// Changed is a program built from modules with changed files.
type Changed struct {
	Binary

	// Modules are the modules with changes; the binary's module requires them.
	Modules []string
	// Change returns the files to replace or add, by module and path in it, as "example.com/module/package/file.go".
	Change func(modules fs.FS) (map[string][]byte, error)
}

// BuildChanged builds a program from changed modules, and returns its path, which the next build overwrites. It is quick
// if nothing has changed.
func (b Builder) BuildChanged(ctx context.Context, c Changed) (string, error) {
	dir := b.Cache.Path("own-changed", c.Module)
	src := filepath.Join(dir, "src")
	if err := b.linkModules(ctx, c, src); err != nil {
		return "", err
	}
	files, err := c.Change(os.DirFS(src))
	if err != nil {
		return "", err
	}
	if err := writeReplaced(dir, c); err != nil {
		return "", err
	}
	temp, err := b.Cache.Temp("build-")
	if err != nil {
		return "", err
	}
	defer func() { _ = cache.RemoveAll(temp) }()
	changes, err := overlay.Write(temp, src, files)
	if err != nil {
		return "", err
	}
	out := filepath.Join(dir, c.Name)
	args := append([]string{"go", "build", "-o", out, "-overlay=" + changes}, c.flags()...)
	_, err = command.Run(ctx, command.Cmd{
		Args: append(args, c.Package),
		Dir:  dir,
		Env:  []string{"CGO_ENABLED=0", "GOOS=linux", "GOARCH=" + runtime.GOARCH, "GOWORK=off", "GOTMPDIR=" + temp},
	})
	if err != nil {
		return "", fmt.Errorf("build %s: %w", c.Name, err)
	}
	return out, nil
}

// linkModules links each module below a directory: the go command replaces no files below its own.
func (b Builder) linkModules(ctx context.Context, c Changed, src string) error {
	dir, err := b.workFolder(c.Binary)
	if err != nil {
		return err
	}
	for _, module := range c.Modules {
		env := []string{"GOWORK=off"}
		if _, err := command.Run(ctx, command.Cmd{Args: []string{"go", "mod", "download", module}, Dir: dir, Env: env}); err != nil {
			return fmt.Errorf("download %s: %w", module, err)
		}
		at, err := command.Run(ctx, command.Cmd{Args: []string{"go", "list", "-m", "-f", "{{.Dir}}", module}, Dir: dir, Env: env})
		if err != nil {
			return fmt.Errorf("find %s: %w", module, err)
		}
		link := filepath.Join(src, filepath.FromSlash(module))
		if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
			return fmt.Errorf("link %s: %w", module, err)
		}
		if err := os.Remove(link); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("link %s: %w", module, err)
		}
		if err := os.Symlink(at, link); err != nil {
			return fmt.Errorf("link %s: %w", module, err)
		}
	}
	return nil
}

// writeReplaced writes the binary's go.mod, with the linked modules, and its go.sum.
func writeReplaced(dir string, c Changed) error {
	mod, sum, err := c.moduleFiles()
	if err != nil {
		return err
	}
	file, err := modfile.Parse(c.Module+".mod", mod, nil)
	if err != nil {
		return fmt.Errorf("read the module of %s: %w", c.Name, err)
	}
	for _, module := range c.Modules {
		for _, r := range file.Replace {
			if r.Old.Path == module {
				err = errors.Join(err, file.DropReplace(module, r.Old.Version))
			}
		}
		err = errors.Join(err, file.AddReplace(module, "", "./src/"+module, ""))
	}
	file.Cleanup()
	if err != nil {
		return fmt.Errorf("change the module of %s: %w", c.Name, err)
	}
	for name, data := range map[string][]byte{"go.mod": modfile.Format(file.Syntax), "go.sum": sum} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return fmt.Errorf("write the module of %s: %w", c.Name, err)
		}
	}
	return nil
}
