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

package live

import (
	"bytes"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"
)

// refresh is the time between two drawings.
const refresh = 200 * time.Millisecond

// Screen is a terminal with an area for running tasks. Output goes above the area, whole lines at a time. It is safe
// for concurrent use.
type Screen struct {
	out  io.Writer
	size func() (width, height int, err error)

	mutex sync.Mutex
	area  *mpb.Progress // nil without running tasks
	tasks int
	rest  []byte // of an unfinished line
}

// On returns a Screen for out if it is a terminal with redrawing allowed, and out itself otherwise: a file, a pipe, a
// dumb terminal, the log of a CI system, or a user asking for plain text (no-color.org).
func On(out *os.File, env func(string) string) io.Writer {
	if !term.IsTerminal(int(out.Fd())) || env("TERM") == "dumb" || env("NO_COLOR") != "" || env("CI") != "" {
		return out
	}
	return &Screen{out: out, size: func() (int, int, error) { return term.GetSize(int(out.Fd())) }}
}

// Write implements io.Writer.
func (s *Screen) Write(p []byte) (int, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.area == nil {
		return s.out.Write(p)
	}
	end := bytes.LastIndexByte(p, '\n') + 1
	if end == 0 {
		s.rest = append(s.rest, p...)
		return len(p), nil
	}
	lines := slices.Concat(s.rest, p[:end])
	s.rest = bytes.Clone(p[end:])
	if _, err := s.area.Write(lines); err != nil {
		// The area ended because of a write error.
		if _, err := s.out.Write(lines); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// Task is a part of the area, from Start to End.
type Task struct {
	screen *Screen
	bar    *mpb.Bar
	filler mpb.BarFiller

	mutex sync.Mutex
	view  View
}

// Start adds a task at the end of the area, and returns nil if out is no Screen.
func Start(out io.Writer, view View) *Task {
	s, ok := out.(*Screen)
	if !ok {
		return nil
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.area == nil {
		// Without a file the library does not query the size: lines are cut here.
		s.area = mpb.New(mpb.WithOutput(fromTheLeft{s.out}), mpb.WithAutoRefresh(), mpb.WithRefreshRate(refresh))
	}
	s.tasks++
	t := &Task{screen: s, view: view, filler: mpb.BarStyle().Filler("=").Tip(">").Padding(" ").Build()}
	var below []byte
	bar, err := s.area.Add(0, mpb.BarFillerFunc(func(w io.Writer, stat decor.Statistics) (err error) {
		first, rest := t.draw(stat)
		below = rest
		_, err = io.WriteString(w, first)
		return err
	}), mpb.BarFillerTrim(), mpb.BarExtender(mpb.BarFillerFunc(func(w io.Writer, _ decor.Statistics) error {
		_, err := w.Write(below)
		return err
	}), false))
	if err == nil { // else the terminal has gone, and there is nothing to draw on
		t.bar = bar
	}
	return t
}

// Live reports whether the task is shown.
func (t *Task) Live() bool { return t != nil }

// Set changes the view at the next drawing.
func (t *Task) Set(view View) {
	if t == nil {
		return
	}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.view = view
}

// End removes the task. The area disappears with its last task, before End returns.
func (t *Task) End() {
	if t == nil {
		return
	}
	s := t.screen
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if t.bar != nil {
		t.bar.Abort(true)
	}
	if s.tasks--; s.tasks > 0 {
		return
	}
	s.area.Wait()
	s.area = nil
	_, _ = s.out.Write(s.rest)
	s.rest = nil
}

func (t *Task) draw(stat decor.Statistics) (first string, below []byte) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	width, height, err := t.screen.size()
	if err != nil || width <= 0 || height <= 0 { // terminals of unknown size
		width, height = 80, 24
	}
	lines := t.view.lines(width, height, func(w io.Writer) error {
		stat.Total, stat.Current = int64(t.view.Total), int64(t.view.Done)
		stat.AvailableWidth, stat.RequestedWidth = width, barWidth
		return t.filler.Fill(w, stat)
	})
	for _, line := range lines[1:] {
		below = append(append(below, line...), '\n')
	}
	return lines[0], below
}

// fromTheLeft starts each drawing in the first column: the library moves the cursor only up, and Ctrl-C leaves its
// echo at the cursor.
type fromTheLeft struct{ out io.Writer }

// Write implements io.Writer.
func (f fromTheLeft) Write(p []byte) (int, error) {
	if !bytes.HasPrefix(p, []byte("\x1b[")) {
		return f.out.Write(p)
	}
	n, err := f.out.Write(append([]byte("\r"), p...))
	return max(0, n-1), err
}
