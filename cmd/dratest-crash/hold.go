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
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// longest is how long a kubelet is kept waiting if nobody kills it.
const longest = 5 * time.Second

// held is the file that is held so that a checkpoint is not saved.
func held(checkpoint string) string { return checkpoint + ".tmp" }

// hold keeps a kubelet from saving its checkpoint: the file that it writes before it
// renames it is a pipe that nobody reads, and to open that takes for ever.
type hold struct {
	path string

	mutex sync.Mutex
	since time.Time // zero if nothing is held
}

// begin holds whoever writes from now on. While a write is going on, it does nothing.
func (h *hold) begin() {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if h.since.IsZero() && unix.Mkfifo(h.path, 0o600) == nil {
		h.since = time.Now()
	}
}

// end lets go; a write that was held fails.
func (h *hold) end() {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.letGo()
}

// renew lets go of a kubelet that is held and has not come to its point.
func (h *hold) renew() {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if time.Since(h.since) > longest {
		h.letGo()
	}
}

// letGo is with the lock held.
func (h *hold) letGo() {
	if !h.since.IsZero() {
		h.since = time.Time{}
		removePipe(h.path)
	}
}

// removePipe removes a pipe, and wakes who waits for a reader of it. It leaves other
// files alone.
func removePipe(path string) {
	if info, err := os.Lstat(path); err != nil || info.Mode().Type() != os.ModeNamedPipe {
		return
	}
	reader, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	_ = os.Remove(path)
	if err == nil {
		_ = reader.Close()
	}
}
