//go:build linux

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

package main

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// Writers block while held, fail at release and succeed afterwards.
func TestHold(t *testing.T) {
	path := filepath.Join(t.TempDir(), "checkpoint.tmp")
	write := func() error {
		file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
		if err != nil {
			return err
		}
		_, err = file.WriteString("content")
		return errors.Join(err, file.Sync(), file.Close())
	}
	h := &hold{path: path}
	h.end() // nothing held
	h.begin()
	h.begin()
	h.renew() // within the limit
	done := make(chan error, 1)
	go func() { done <- write() }()
	select {
	case err := <-done:
		t.Fatalf("it was not held: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	h.since = h.since.Add(-longest)
	h.renew()
	if err := <-done; !errors.Is(err, syscall.EPIPE) && !errors.Is(err, syscall.EINVAL) {
		t.Errorf("a write that was held ended with %v", err)
	}
	if err := write(); err != nil {
		t.Error(err)
	}
	h.begin() // during a write
	if err := write(); err != nil {
		t.Errorf("held in the middle of a write: %v", err)
	}
}
