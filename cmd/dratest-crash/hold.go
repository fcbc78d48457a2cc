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

// longest bounds how long a kubelet is blocked without being killed.
const longest = 5 * time.Second

// held returns the path of the pipe blocking writes of a checkpoint.
func held(checkpoint string) string { return checkpoint + ".tmp" }

// hold blocks a kubelet from saving its checkpoint. Kubelets write a temporary file and rename it. In
// place of this file, hold creates a FIFO without a reader, so that opening it blocks.
type hold struct {
	path string

	mutex sync.Mutex
	since time.Time // zero: not blocking
}

// begin blocks writers from now on. It does nothing during a write.
func (h *hold) begin() {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if h.since.IsZero() && unix.Mkfifo(h.path, 0o600) == nil {
		h.since = time.Now()
	}
}

// end unblocks; a blocked write fails.
func (h *hold) end() {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.letGo()
}

// renew unblocks a kubelet blocked for longer than the limit.
func (h *hold) renew() {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if time.Since(h.since) > longest {
		h.letGo()
	}
}

// letGo requires the lock.
func (h *hold) letGo() {
	if !h.since.IsZero() {
		h.since = time.Time{}
		removePipe(h.path)
	}
}

// removePipe removes a pipe and wakes its blocked writer. Other files stay.
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
