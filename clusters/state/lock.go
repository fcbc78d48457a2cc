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

package state

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

// Lock keeps other processes away from a cluster. On release, a directory without a record is removed.
func (s Store[R]) Lock(name string) (release func(), err error) {
	folder := s.Folder(name)
	path := filepath.Join(folder, "lock")
	held, err := LockFile(path, (*flock.Flock).TryLock)
	if errors.Is(err, ErrLocked) {
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
		if _, statErr := os.Stat(s.File(name)); errors.Is(statErr, os.ErrNotExist) {
			_ = os.RemoveAll(folder)
			_ = os.Remove(s.Dir) // only if it was the last cluster
		} else {
			_ = os.Truncate(path, 0) // a free lock names no process
		}
		_ = held.Close()
	}, nil
}

// Free reports whether no process holds the cluster.
func (s Store[R]) Free(name string) bool {
	release, err := s.Lock(name)
	if err != nil {
		return false
	}
	release()
	return true
}

// Locks are held by a provider until it deletes their clusters.
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

// Have reports whether a cluster's lock is held.
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

// Hold locks a cluster until release is called or the lock is handed over.
func (s Store[R]) Hold(locks *Locks, name string) (release func(), err error) {
	unlock, err := s.Lock(name)
	if err != nil {
		return nil, err
	}
	locks.Keep(name, unlock)
	return func() {
		if unlock, ok := locks.Take(name); ok {
			unlock()
		}
	}, nil
}

// Remove calls remove with the cluster locked. This process's own lock on it is released in the end; a missing
// cluster is no error.
func (s Store[R]) Remove(locks *Locks, name string, remove func(R) error) error {
	release, ok := locks.Take(name)
	if !ok {
		var err error
		if release, err = s.Lock(name); err != nil {
			return err
		}
	}
	defer release()
	r, known, err := s.Load(name)
	if err != nil || !known { // lost the race
		return err
	}
	if err := remove(r); err != nil {
		return fmt.Errorf("delete cluster %q: %w", name, err)
	}
	return nil
}

// ErrLocked means another process holds the lock.
var ErrLocked = errors.New("it is locked")

// LockFile creates and locks the file at path without waiting; try is TryLock or TryRLock. Errors: ErrLocked, or the
// failure to create the file.
func LockFile(path string, try func(*flock.Flock) (bool, error)) (*flock.Flock, error) {
	for {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, err
		}
		lock := flock.New(path)
		locked, err := try(lock)
		if errors.Is(err, os.ErrNotExist) {
			continue // the directory has just been removed
		}
		if err == nil && !locked {
			err = ErrLocked
		}
		if err != nil {
			_ = lock.Close()
			return nil, err
		}
		// A previous holder may have removed the file: then other processes do not see this lock.
		mine, mineErr := lock.Stat()
		current, currentErr := os.Stat(path)
		if mineErr == nil && currentErr == nil && os.SameFile(mine, current) {
			return lock, nil
		}
		_ = lock.Close()
	}
}
