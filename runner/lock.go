package runner

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// ErrRunning: another run uses the report directory.
var ErrRunning = errors.New("another run is going on")

const lockFile = ".lock"

// lock keeps other runs out of a report directory, which it makes, until unlock
// is called or the process is gone.
func lock(dir string) (unlock func(), err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("make the report directory: %w", err)
	}
	path := filepath.Join(dir, lockFile)
	for {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
		if err != nil {
			return nil, fmt.Errorf("lock the report directory: %w", err)
		}
		if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
			holder, _ := io.ReadAll(io.LimitReader(f, 20))
			_ = f.Close()
			if errors.Is(err, unix.EWOULDBLOCK) {
				return nil, fmt.Errorf("%w in %s (process %s): wait for it, or give this one another --report-dir",
					ErrRunning, dir, strings.TrimSpace(string(holder)))
			}
			return nil, fmt.Errorf("lock the report directory: %w", err)
		}
		// The holder before us may have removed the file that we locked.
		if same(f, path) {
			_ = f.Truncate(0)
			_, _ = fmt.Fprintln(f, os.Getpid())
			return func() { _ = os.Remove(path); _ = f.Close() }, nil
		}
		_ = f.Close()
	}
}

func same(f *os.File, path string) bool {
	locked, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(path)
	return err == nil && os.SameFile(locked, there)
}
