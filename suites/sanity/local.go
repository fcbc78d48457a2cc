package sanity

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"time"
)

// Local is a driver on the machine on which this process runs.
type Local struct {
	// Socket is the path of the driver's plugin socket. It may be a pattern, as drivers
	// with rolling updates have a socket per process: the newest is taken.
	Socket string
	// CDIDirs are the directories that the container runtime reads; those that do not
	// exist are left out.
	CDIDirs []string
}

var (
	_ Subject    = Local{}
	_ Obstructer = Local{}
)

// Dial implements Subject.
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

// Specs implements Subject.
func (l Local) Specs(context.Context) (map[string][]byte, error) { return ReadSpecs(l.CDIDirs) }

// ReadSpecs reads the CDI files of directories, by path; those that come and go meanwhile
// are left out.
func ReadSpecs(dirs []string) (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, dir := range dirs {
		for _, pattern := range []string{"*.json", "*.yaml"} {
			paths, err := filepath.Glob(filepath.Join(dir, pattern))
			if err != nil {
				return nil, fmt.Errorf("list CDI directory %s: %w", dir, err)
			}
			for _, path := range paths {
				info, err := os.Stat(path)
				if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
					continue
				}
				content, err := os.ReadFile(path)
				if errors.Is(err, fs.ErrNotExist) {
					continue
				}
				if err != nil {
					return nil, fmt.Errorf("read CDI file: %w", err)
				}
				files[path] = content
			}
		}
	}
	return files, nil
}

// RemoveSpec implements Subject.
func (l Local) RemoveSpec(_ context.Context, path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove CDI file: %w", err)
	}
	return nil
}

// Obstruct implements Obstructer: a directory that is not empty is not replaced.
func (l Local) Obstruct(_ context.Context, path string) (func(context.Context) error, error) {
	if err := os.MkdirAll(filepath.Join(path, "dratest"), 0o700); err != nil {
		return nil, fmt.Errorf("keep %s from being written: %w", path, err)
	}
	return func(context.Context) error { return os.RemoveAll(path) }, nil
}
