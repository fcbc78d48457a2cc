package reports

import (
	"errors"
	"fmt"
	"os"

	"github.com/gofrs/flock"
)

// ErrInUse: another process writes into the report directory.
var ErrInUse = errors.New("the report directory is in use")

// Dir is the report directory that an empty or given one means: $ARTIFACTS, or
// _artifacts, where nothing is given.
func Dir(given string) string {
	switch {
	case given != "":
		return given
	case os.Getenv("ARTIFACTS") != "":
		return os.Getenv("ARTIFACTS")
	default:
		return "_artifacts"
	}
}

// Lock makes a report directory and keeps other processes out of it until unlock is
// called or this process is gone. Errors: ErrInUse, and what keeps files from being
// written there.
func Lock(dir string) (unlock func(), err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("make the report directory: %w", err)
	}
	// The directory itself is locked, so that no file of a lock is left in it.
	lock := flock.New(dir, flock.SetFlag(os.O_RDONLY))
	locked, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock the report directory: %w", err)
	}
	if !locked {
		return nil, fmt.Errorf("%w: another process writes into %s: wait for it, or choose another directory with --report-dir", ErrInUse, dir)
	}
	return func() { _ = lock.Unlock() }, nil
}
