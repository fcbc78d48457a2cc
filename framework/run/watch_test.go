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

package run

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestWatch(t *testing.T) {
	down := errors.New("connection refused")
	for name, tc := range map[string]struct {
		check func(since time.Duration) error
		want  time.Duration // zero: never
	}{
		"is there": {func(time.Duration) error { return nil }, 0},
		"restarts": {func(since time.Duration) error {
			if since%(50*time.Second) < 40*time.Second {
				return down
			}
			return nil
		}, 0},
		"never there": {func(time.Duration) error { return down }, 60 * time.Second},
		"goes away": {func(since time.Duration) error {
			if since > 100*time.Second {
				return down
			}
			return nil
		}, 160 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
				defer cancel()
				start := time.Now()
				gone := watch(ctx, func(context.Context) error { return tc.check(time.Since(start)) })
				select {
				case err := <-gone:
					if !errors.Is(err, down) || time.Since(start) != tc.want {
						t.Errorf("%v after %s, want it after %s", err, time.Since(start), tc.want)
					}
				case <-ctx.Done():
					if tc.want != 0 {
						t.Error("not noticed")
					}
				}
			})
		})
	}
}
