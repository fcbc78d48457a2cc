package progress_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dra-conformance/dratest/clusters/progress"
)

func TestStepReportsStartProgressAndEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		err := progress.New(&out).Step("build x", time.Minute, func() error {
			time.Sleep(25 * time.Second)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		want := "  .. build x (usually 1m0s)\n  .. build x: 10s so far\n  .. build x: 20s so far\n  ok build x (25s)\n"
		if out.String() != want {
			t.Errorf("got:\n%swant:\n%s", out.String(), want)
		}
	})
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
