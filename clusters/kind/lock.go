package kind

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/gofrs/flock"

	"github.com/dra-conformance/dratest/clusters"
)

// lock keeps other processes away from a cluster. When it is released, a folder
// without a record, which nobody needs, is removed.
func (s store) lock(name string) (release func(), err error) {
	folder := s.folder(name)
	path := filepath.Join(folder, "lock")
	held, err := lockFile(path, (*flock.Flock).TryLock)
	if errors.Is(err, errLocked) {
		holder := "another process"
		if pid, readErr := os.ReadFile(path); readErr == nil && len(pid) > 0 {
			holder = "process " + strings.TrimSpace(string(pid))
		}
		return nil, fmt.Errorf("%w: cluster %q is in use by %s: wait until it has ended, or choose another name",
			clusters.ErrEnvironment, name, holder)
	}
	if err != nil {
		return nil, fmt.Errorf("lock cluster %q: %w", name, err)
	}
	if err := os.WriteFile(path, fmt.Appendf(nil, "%d\n", os.Getpid()), 0o600); err != nil {
		_ = held.Close()
		return nil, fmt.Errorf("lock cluster %q: %w", name, err)
	}
	return func() {
		if _, statErr := os.Stat(s.file(name)); errors.Is(statErr, os.ErrNotExist) {
			_ = os.RemoveAll(folder)
			_ = os.Remove(s.dir) // only if it was the last cluster
		} else {
			_ = os.Truncate(path, 0) // a lock that is free names no process
		}
		_ = held.Close()
	}, nil
}

// locks are those that a provider keeps until it deletes their clusters.
type locks struct {
	mutex   sync.Mutex
	release map[string]func()
}

func (l *locks) keep(name string, release func()) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.release == nil {
		l.release = map[string]func(){}
	}
	l.release[name] = release
}

func (l *locks) have(name string) bool {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.release[name] != nil
}

// take hands a lock over.
func (l *locks) take(name string) (release func(), ok bool) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	release, ok = l.release[name]
	delete(l.release, name)
	return release, ok
}

// errLocked: somebody else has the lock.
var errLocked = errors.New("it is locked")

// lockFile locks the file at path, which it makes, without waiting; try is
// TryLock or TryRLock. Errors: errLocked, and what keeps the file from being made.
func lockFile(path string, try func(*flock.Flock) (bool, error)) (*flock.Flock, error) {
	for {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, err
		}
		lock := flock.New(path)
		locked, err := try(lock)
		if errors.Is(err, os.ErrNotExist) {
			continue // the folder has just been removed
		}
		if err == nil && !locked {
			err = errLocked
		}
		if err != nil {
			_ = lock.Close()
			return nil, err
		}
		// Whoever had the lock before may have removed the file: then this is a
		// lock on something that nobody else can see.
		mine, mineErr := lock.Stat()
		current, currentErr := os.Stat(path)
		if mineErr == nil && currentErr == nil && os.SameFile(mine, current) {
			return lock, nil
		}
		_ = lock.Close()
	}
}
