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
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/creack/pty"
	"github.com/google/go-cmp/cmp"
)

func TestOnlyATerminalIsDrawnOn(t *testing.T) {
	user, terminal, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = user.Close(), terminal.Close() }()
	file, err := os.Create(t.TempDir() + "/log")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	for _, tc := range []struct {
		name string
		out  *os.File
		env  map[string]string
		live bool
	}{
		{"terminal", terminal, map[string]string{"TERM": "xterm"}, true},
		{"file", file, nil, false},
		{"dumb terminal", terminal, map[string]string{"TERM": "dumb"}, false},
		{"plain text is asked for", terminal, map[string]string{"NO_COLOR": "1"}, false},
		{"CI system", terminal, map[string]string{"CI": "true"}, false},
	} {
		out := On(tc.out, func(name string) string { return tc.env[name] })
		task := Start(out, View{Text: "x"})
		if task.Live() != tc.live {
			t.Errorf("%s: live is %t", tc.name, task.Live())
		}
		if !tc.live && out != tc.out {
			t.Errorf("%s: writes do not go straight to the file", tc.name)
		}
		task.Set(View{Text: "y"})
		task.End()
	}
}

// written is the output of a terminal, safe to read during drawing.
type written struct {
	mutex sync.Mutex
	text  bytes.Buffer
}

func (w *written) Write(p []byte) (int, error) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.text.Write(p)
}

func (w *written) String() string {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.text.String()
}

// Final and intermediate content of a terminal of 40 columns.
func TestArea(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out written
		s := &Screen{out: &out, size: func() (int, int, error) { return 40, 24, nil }}
		task := Start(s, View{Done: 1, Total: 2, Text: "1 of 2 done", Lines: []string{"core/a 3s", "core/b 1s " + strings.Repeat("long ", 20)}})
		time.Sleep(refresh + time.Millisecond)
		_, _ = fmt.Fprint(s, "ok   co")
		_, _ = fmt.Fprint(s, "re/a\nno end")
		time.Sleep(refresh)
		second := Start(s, View{Text: "another task"})
		time.Sleep(refresh)
		want := []string{"ok   core/a",
			"[==========>           ] 1 of 2 done", "     core/a 3s", "     core/b 1s long long long long lon…", "another task"}
		if d := cmp.Diff(want, shown(out.String())); d != "" {
			t.Error(d)
		}
		task.End()
		second.End()
		_, _ = fmt.Fprint(s, " yet\n")
		if d := cmp.Diff([]string{"ok   core/a", "no end yet"}, shown(out.String())); d != "" {
			t.Error(d)
		}
		if strings.Contains(out.String(), "?25") {
			t.Error("the cursor is hidden: a killed process would leave it so")
		}
	})
}

// shown interprets the used control characters of a terminal's output. Ctrl-C's echo is at the cursor.
func shown(written string) []string {
	lines, row, column := []string{""}, 0, 0
	for written != "" {
		var up int
		switch {
		case strings.HasPrefix(written, "\x1b[J"):
			lines = append(lines[:row], lines[row][:min(column, len(lines[row]))])
			written = written[3:]
			continue
		case strings.HasPrefix(written, "\x1b["):
			_, _ = fmt.Sscanf(written, "\x1b[%dA", &up)
			row -= up
			written = written[strings.Index(written, "A")+1:]
			continue
		case written[0] == '\r':
			column = 0
		case written[0] == '\n':
			if row, column = row+1, 0; row == len(lines) {
				lines = append(lines, "")
			}
		default:
			lines[row] = lines[row][:min(column, len(lines[row]))] + written[:1]
			column++
		}
		written = written[1:]
	}
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

func TestCtrlCDoesNotShiftTheArea(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out written
		s := &Screen{out: &out, size: func() (int, int, error) { return 40, 24, nil }}
		task := Start(s, View{Text: "running"})
		time.Sleep(refresh + time.Millisecond)
		_, _ = io.WriteString(&out, "^C") // as the terminal does
		time.Sleep(refresh)
		if d := cmp.Diff([]string{"running"}, shown(out.String())); d != "" {
			t.Error(d)
		}
		task.End()
		if got := shown(out.String()); len(got) != 0 {
			t.Errorf("left: %q", got)
		}
	})
}

func TestManyLinesAreCounted(t *testing.T) {
	v := View{Text: "t", Lines: strings.Split(strings.Repeat("x\n", 9)+"x", "\n")}
	for height, want := range map[int]string{40: "     and 3 more", 10: "     and 7 more", 3: "     and 10 more"} {
		lines := v.lines(80, height, func(io.Writer) error { return nil })
		if got := lines[len(lines)-1]; got != want || len(lines) > 9 {
			t.Errorf("height %d: %q", height, lines)
		}
	}
}
