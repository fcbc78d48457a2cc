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

package progress_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/creack/pty"

	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/clusters/progress/live"
)

func TestStepReportsStartProgressAndEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		err := progress.New(&out).Step("build x", time.Minute, func() error {
			time.Sleep(125 * time.Second)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		want := "  .. build x (usually 1m0s)\n"
		for _, at := range []string{"10s", "20s", "30s", "40s", "50s", "1m0s", "1m30s", "2m0s"} {
			want += "  .. build x: " + at + " so far\n"
		}
		want += "  ok build x (2m5s)\n"
		if out.String() != want {
			t.Errorf("got:\n%swant:\n%s", out.String(), want)
		}
	})
}

// On a terminal, a running step is a redrawn line, removed at its end; other output stays.
func TestStepInATerminal(t *testing.T) {
	user, terminal, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = user.Close() }()
	out := live.On(terminal, func(string) string { return "" })
	p := progress.New(out)
	err = p.Step("build x", time.Minute, func() error {
		p.Printf("     compiled")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	_ = terminal.Close()
	all, _ := io.ReadAll(user) // ends with an error when the other end is closed
	text := string(all)
	if !strings.Contains(text, "  .. build x (usually 1m0s)") || !strings.HasSuffix(text, "\x1b[1A\x1b[J  ok build x (0s)\r\n") || !strings.Contains(text, "compiled") {
		t.Errorf("the terminal got %q", text)
	}
}

func TestStepReturnsTheError(t *testing.T) {
	var out bytes.Buffer
	want := errors.New("no space left")
	if err := progress.New(&out).Step("build x", 0, func() error { return want }); !errors.Is(err, want) {
		t.Errorf("got %v, want %v", err, want)
	}
	if !strings.Contains(out.String(), "!! build x failed") {
		t.Errorf("no line about the failure: %q", out.String())
	}
}

func TestStepThatWasInterrupted(t *testing.T) {
	var out bytes.Buffer
	interrupted := fmt.Errorf("wait: %w", context.Canceled)
	if err := progress.New(&out).Step("wait for x", 0, func() error { return interrupted }); !errors.Is(err, interrupted) {
		t.Errorf("got %v, want %v", err, interrupted)
	}
	if !strings.Contains(out.String(), "!! wait for x was interrupted after") {
		t.Errorf("no line about the interruption: %q", out.String())
	}
}
