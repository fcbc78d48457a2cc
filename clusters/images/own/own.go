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

package own

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/command"
	"github.com/dra-conformance/dratest/clusters/images/overlay"
)

// module is the module path of a checkout.
const module = "github.com/dra-conformance/dratest"

// Where locates a program; the zero value means the working directory and the directory of the running executable.
type Where struct {
	// Dirs are directories in or below a checkout.
	Dirs []string
	// BinDir is the directory with built programs.
	BinDir string
}

// Program is a program of this project.
type Program struct {
	// Name is its directory below cmd/.
	Name string
	// Module is the directory of its module in a checkout; empty is the checkout's own.
	Module string
	// Values are set with the linker's -X, as "path.name=value".
	Values []string
	// Overlay replaces or adds source files by their paths in the checkout. It rules out the program next to the
	// executable.
	Overlay map[string][]byte
}

// Source is the origin of a program: a checkout, or the program next to the running executable.
type Source struct {
	program Program
	root    string // of the checkout; empty without one
	built   string
}

// Find looks for a program. The error wraps clusters.ErrEnvironment if there is
// neither a checkout nor the program.
func Find(p Program, where Where) (Source, error) {
	if err := where.fill(); err != nil {
		return Source{}, err
	}
	root, err := checkout(where.Dirs)
	if err != nil {
		return Source{}, err
	}
	s := Source{program: p, root: root, built: filepath.Join(where.BinDir, p.Name)}
	if root == "" && len(p.Overlay) > 0 {
		return Source{}, fmt.Errorf("%w: %s is to be built with changes, for which there must be a checkout of %s around the working directory: run dratest in one",
			clusters.ErrEnvironment, p.Name, module)
	}
	if root == "" && !isFile(s.built) {
		return Source{}, fmt.Errorf("%w: no %s beside %s and no checkout of %s around the working directory: put the program there or run dratest in a checkout",
			clusters.ErrEnvironment, p.Name, os.Args[0], module)
	}
	return s, nil
}

// Binary is Find and Build for a program of the checkout's own module.
func Binary(ctx context.Context, name, out string, where Where) (string, error) {
	s, err := Find(Program{Name: name}, where)
	if err != nil {
		return "", err
	}
	return s.Build(ctx, out)
}

// Build returns the path of the program, a static Linux executable. In a checkout it is built below the directory
// out, which is quick if nothing changed. Without a checkout or Go, the program next to the running executable is
// used. The error wraps clusters.ErrEnvironment if there is none.
func (s Source) Build(ctx context.Context, out string) (string, error) {
	if s.root == "" {
		return s.built, nil
	}
	// A directory per checkout: several may share out, and existing output speeds up the next build.
	id := sha256.Sum256([]byte(s.root))
	path := filepath.Join(out, hex.EncodeToString(id[:6]), s.program.Name)
	ldflags := "-s -w"
	for _, v := range s.program.Values {
		ldflags += " -X " + v
	}
	args := []string{"go", "build", "-o", path, "-buildvcs=false", "-trimpath", "-ldflags=" + ldflags}
	if len(s.program.Overlay) > 0 {
		dir, err := os.MkdirTemp("", "dratest-overlay-")
		if err != nil {
			return "", fmt.Errorf("make a directory for changed source: %w", err)
		}
		defer func() { _ = os.RemoveAll(dir) }()
		file, err := overlay.Write(dir, s.root, s.program.Overlay)
		if err != nil {
			return "", err
		}
		args = append(args, "-overlay="+file)
	}
	_, err := command.Run(ctx, command.Cmd{
		Args: append(args, "./cmd/"+s.program.Name),
		Dir:  filepath.Join(s.root, s.program.Module),
		Env:  []string{"CGO_ENABLED=0", "GOOS=linux", "GOWORK=off"},
	})
	if command.NotFound(err) {
		if isFile(s.built) && len(s.program.Overlay) == 0 {
			return s.built, nil
		}
		return "", fmt.Errorf("%w: building %s needs Go: install it from https://go.dev/dl/", clusters.ErrEnvironment, s.program.Name)
	}
	if err != nil {
		return "", fmt.Errorf("build %s: %w", s.program.Name, err)
	}
	return path, nil
}

func (w *Where) fill() error {
	if w.BinDir == "" {
		exe, err := os.Executable()
		if err != nil {
			return fmt.Errorf("find the running executable: %w", err)
		}
		w.BinDir = filepath.Dir(exe)
	}
	if len(w.Dirs) == 0 {
		cwd, err := os.Getwd()
		if err != nil {
			return fmt.Errorf("find the working directory: %w", err)
		}
		w.Dirs = []string{cwd, w.BinDir}
	}
	return nil
}

// Checkout is the root of the checkout to build from. Without one, the error has the reason why it is needed.
func Checkout(reason string) (string, error) {
	var where Where
	if err := where.fill(); err != nil {
		return "", err
	}
	root, err := checkout(where.Dirs)
	if err == nil && root == "" {
		err = fmt.Errorf("%w: %s", clusters.ErrEnvironment, reason)
	}
	return root, err
}

// checkout returns the root of the first checkout containing one of dirs, or "".
func checkout(dirs []string) (string, error) {
	for _, dir := range dirs {
		for ; ; dir = filepath.Dir(dir) {
			mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return "", fmt.Errorf("look for a checkout: %w", err)
			}
			if err == nil && modulePath(mod) == module {
				return dir, nil
			}
			if dir == filepath.Dir(dir) {
				break
			}
		}
	}
	return "", nil
}

func modulePath(mod []byte) string {
	for line := range strings.Lines(string(mod)) {
		if fields := strings.Fields(line); len(fields) >= 2 && fields[0] == "module" {
			return strings.Trim(fields[1], `"`)
		}
	}
	return ""
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
