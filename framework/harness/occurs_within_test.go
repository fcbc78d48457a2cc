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

package harness

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestNever(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newFake(t)
		c.ctx = t.Context()
		calls := 0
		look := func(context.Context) (bool, string, error) {
			calls++
			return calls > 15, fmt.Sprintf("%d calls", calls), nil
		}
		if f := failureOf(func() { c.Never(time.Second, "call beyond the 15th", look) }); f != nil {
			t.Error(f.message)
		}
		f := failureOf(func() { c.Never(time.Second, "call beyond the 15th", look) })
		if f == nil || f.message != "expected no call beyond the 15th within 1s, got: 16 calls" || !strings.HasSuffix(f.location.FileName, "within_test.go") {
			t.Errorf("got %+v", f)
		}
	})
}

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
					came = c.OccursWithin(tc.limit, "it to come", func(context.Context) (bool, string, error) { n++; return tc.looks(n) })
				})
				if came != tc.came || (f != nil) != (tc.fails != "") || f != nil && !strings.Contains(f.message, tc.fails) {
					t.Errorf("came: %t, failure %v", came, f)
				}
			})
		})
	}
}
