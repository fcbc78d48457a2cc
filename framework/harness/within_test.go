package harness

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestWithin(t *testing.T) {
	away := errors.New("away")
	for name, tc := range map[string]struct {
		limit time.Duration
		looks func(n int) (bool, string, error)
		came  bool
		fails string
	}{
		"at once":                    {time.Second, func(int) (bool, string, error) { return true, "it", nil }, true, ""},
		"later":                      {time.Second, func(n int) (bool, string, error) { return n > 3, "it", nil }, true, ""},
		"never":                      {time.Second, func(int) (bool, string, error) { return false, "another", nil }, false, ""},
		"only errors":                {time.Second, func(int) (bool, string, error) { return false, "", away }, false, "away"},
		"errors in the end":          {time.Second, func(n int) (bool, string, error) { return false, "another", map[bool]error{true: away}[n > 2] }, false, "last seen: another"},
		"longer than the case takes": {time.Hour, func(int) (bool, string, error) { return false, "another", nil }, false, "the time is up"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newFake(t)
				ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, errors.New("the time is up"))
				defer cancel()
				c.ctx = ctx
				came, n := false, 0
				f := failureOf(func() {
					came = c.Within(tc.limit, "it to come", func(context.Context) (bool, string, error) { n++; return tc.looks(n) })
				})
				if came != tc.came || (f != nil) != (tc.fails != "") || f != nil && !strings.Contains(f.message, tc.fails) {
					t.Errorf("came: %t, failure %v", came, f)
				}
			})
		})
	}
}
