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
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/dra-conformance/dratest/framework/soak/crash"
)

// look is the poll interval for orders.
const look = 20 * time.Millisecond

// watcher reads a kubelet's log until its end.
type watcher struct {
	dir        string
	checkpoint string
	kill       func() error
	// at is the crash point; empty for none.
	at   atomic.Value
	hold hold
}

func (w *watcher) path(name string) string { return filepath.Join(w.dir, name) }

func (w *watcher) run(log io.Reader, out io.Writer) error {
	w.hold.path = held(w.checkpoint)
	done := make(chan struct{})
	var looking sync.WaitGroup
	defer func() { close(done); looking.Wait(); w.hold.end() }()
	w.order()
	looking.Go(func() {
		ticker := time.NewTicker(look)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				w.order()
			case <-done:
				return
			}
		}
	})
	death, err := w.read(log, out)
	if err != nil || death == nil {
		return err
	}
	return w.report(*death)
}

// order reads the current order.
func (w *watcher) order() {
	content, _ := os.ReadFile(w.path("order")) // usually absent
	at := crash.Point(strings.TrimSpace(string(content)))
	w.at.Store(at)
	switch {
	case at == "":
		w.hold.end()
	case at.Unsaved(""):
		w.hold.begin()
	}
	w.hold.renew()
}

// read copies the log and kills the kubelet at the ordered line. It returns nil without a kill.
func (w *watcher) read(log io.Reader, out io.Writer) (death *crash.Death, err error) {
	// Packet-mode reads need a buffer for a whole packet: the rest would be lost.
	lines := bufio.NewReaderSize(log, 64<<10)
	saved := w.inode()
	for {
		line, err := lines.ReadString('\n')
		at := crash.At(line)
		if order, _ := w.at.Load().(crash.Point); death == nil && at != "" && order.Unsaved(line) {
			w.hold.begin()
		}
		switch {
		case at == "":
		case death != nil:
			death.After = append(death.After, strings.TrimSpace(line))
		case at == w.at.Load():
			if err := w.kill(); err != nil {
				return nil, fmt.Errorf("kill: %w", err)
			}
			death = &crash.Death{Line: strings.TrimSpace(line), Time: time.Now()}
		}
		if death == nil && at == crash.AfterCheckpoint {
			saved = w.inode()
		}
		_, _ = io.WriteString(out, line) // the receiver may be gone
		if errors.Is(err, io.EOF) {
			if death != nil {
				death.Saved = w.inode() != saved
			}
			return death, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read the log: %w", err)
		}
	}
}

// inode identifies a checkpoint, as each save creates a new file.
func (w *watcher) inode() uint64 {
	info, err := os.Stat(w.checkpoint)
	if err != nil {
		return 0
	}
	return info.Sys().(*syscall.Stat_t).Ino
}

// report removes the order first, so that the next kubelet is not killed.
func (w *watcher) report(death crash.Death) error {
	content, err := json.Marshal(death)
	if err != nil {
		return err
	}
	if err := os.Remove(w.path("order")); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	temporary := w.path("death.new")
	if err := os.WriteFile(temporary, content, 0o600); err != nil {
		return err
	}
	return os.Rename(temporary, w.path("death"))
}
