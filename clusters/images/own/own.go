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
)

// module is the path in the go.mod of a checkout.
const module = "github.com/dra-conformance/dratest"

// Where is a place to look for a program; the zero value means the working
// folder and the folder of the running executable.
type Where struct {
	// Dirs are folders in or below a checkout.
	Dirs []string
	// Beside is the folder with programs that are built already.
	Beside string
}

// Binary returns the path of this project's program cmd/<name>, a static Linux
// executable. In a checkout it is built below the folder out, which takes a moment
// if nothing has changed. Without a checkout, or without Go, a program of that
// name beside the running executable is taken. The error wraps
// clusters.ErrEnvironment if there is neither.
func Binary(ctx context.Context, name, out string, where Where) (string, error) {
	if err := where.fill(); err != nil {
		return "", err
	}
	beside := filepath.Join(where.Beside, name)
	root, err := checkout(where.Dirs)
	if err != nil {
		return "", err
	}
	if root == "" {
		if isFile(beside) {
			return beside, nil
		}
		return "", fmt.Errorf("%w: no %s beside %s and no checkout of %s around the working folder: put the program there or run dratest in a checkout",
			clusters.ErrEnvironment, name, os.Args[0], module)
	}
	// A folder per checkout: several may share out, and what is there already
	// makes the next build quick.
	id := sha256.Sum256([]byte(root))
	path := filepath.Join(out, hex.EncodeToString(id[:6]), name)
	_, err = command.Run(ctx, command.Cmd{
		Args: []string{"go", "build", "-o", path, "-buildvcs=false", "-trimpath", "-ldflags=-s -w", "./cmd/" + name},
		Dir:  root,
		Env:  []string{"CGO_ENABLED=0", "GOOS=linux", "GOWORK=off"},
	})
	if command.NotFound(err) {
		if isFile(beside) {
			return beside, nil
		}
		return "", fmt.Errorf("%w: building %s needs Go: install it from https://go.dev/dl/", clusters.ErrEnvironment, name)
	}
	if err != nil {
		return "", fmt.Errorf("build %s: %w", name, err)
	}
	return path, nil
}

func (w *Where) fill() error {
	if w.Beside == "" {
		exe, err := os.Executable()
		if err != nil {
			return fmt.Errorf("find the running executable: %w", err)
		}
		w.Beside = filepath.Dir(exe)
	}
	if len(w.Dirs) == 0 {
		cwd, err := os.Getwd()
		if err != nil {
			return fmt.Errorf("find the working folder: %w", err)
		}
		w.Dirs = []string{cwd, w.Beside}
	}
	return nil
}

// checkout returns the root of the first checkout that one of dirs is in, or "".
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
