package state

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/dra-conformance/dratest/clusters"
)

// Lock keeps other processes away from a cluster. When it is released, a folder
// without a record, which nobody needs, is removed.
func (s Store[R]) Lock(name string) (release func(), err error) {
	folder := s.Folder(name)
	path := filepath.Join(folder, "lock")
	f, err := Flock(path, unix.LOCK_EX)
	if errors.Is(err, unix.EWOULDBLOCK) {
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
	if err := errors.Join(f.Truncate(0), WriteAt(f, strconv.Itoa(os.Getpid())+"\n")); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("lock cluster %q: %w", name, err)
	}
	return func() {
		if _, statErr := os.Stat(s.File(name)); errors.Is(statErr, os.ErrNotExist) {
			_ = os.RemoveAll(folder)
			_ = os.Remove(s.Dir) // only if it was the last cluster
		} else {
			_ = f.Truncate(0) // a lock that is free names no process
		}
		_ = f.Close()
	}, nil
}

// Free tells whether no process holds the cluster.
func (s Store[R]) Free(name string) bool {
	release, err := s.Lock(name)
	if err != nil {
		return false
	}
	release()
	return true
}

// Locks are those that a provider keeps until it deletes their clusters.
type Locks struct {
	mutex   sync.Mutex
	release map[string]func()
}

// Keep keeps a cluster's lock.
func (l *Locks) Keep(name string, release func()) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.release == nil {
		l.release = map[string]func(){}
	}
	l.release[name] = release
}

// Have tells whether a cluster's lock is kept.
func (l *Locks) Have(name string) bool {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.release[name] != nil
}

// Take hands a lock over.
func (l *Locks) Take(name string) (release func(), ok bool) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	release, ok = l.release[name]
	delete(l.release, name)
	return release, ok
}

// WriteAt writes the beginning of a file.
func WriteAt(f *os.File, text string) error {
	_, err := f.WriteAt([]byte(text), 0)
	return err
}

// Flock opens and locks the file at path without waiting; EWOULDBLOCK means that
// somebody else has it. Closing the file unlocks it.
func Flock(path string, how int) (*os.File, error) {
	for {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, err
		}
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if errors.Is(err, os.ErrNotExist) {
			continue // the folder has just been removed
		}
		if err != nil {
			return nil, err
		}
		if err := unix.Flock(int(f.Fd()), how|unix.LOCK_NB); err != nil {
			_ = f.Close()
			return nil, err
		}
		// Whoever had the lock before may have removed the file: then this is a
		// lock on something that nobody else can see.
		mine, mineErr := f.Stat()
		current, currentErr := os.Stat(path)
		if mineErr == nil && currentErr == nil && os.SameFile(mine, current) {
			return f, nil
		}
		_ = f.Close()
	}
}
