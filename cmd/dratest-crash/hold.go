//go:build linux

package main

import (
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// held is how long a kubelet that is held can be kept waiting if nobody kills it.
const held = 5 * time.Second

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
	if h.since.IsZero() {
		return
	}
	h.since = time.Time{}
	reader, err := os.OpenFile(h.path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	_ = os.Remove(h.path)
	if err == nil {
		_ = reader.Close()
	}
}

// renew lets go of a kubelet that is held and has not come to its point.
func (h *hold) renew() {
	h.mutex.Lock()
	over := !h.since.IsZero() && time.Since(h.since) > held
	h.mutex.Unlock()
	if over {
		h.end()
	}
}
