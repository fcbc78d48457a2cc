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

package await

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestPollOutlastsTroubleForAWhile(t *testing.T) {
	trouble := errors.New("connection refused")
	for _, tc := range []struct {
		name string
		away time.Duration
		want error
	}{{"short", 5 * time.Second, nil}, {"long", time.Minute, trouble}} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				err := Until(t.Context(), func(context.Context) (bool, error) {
					if time.Since(start) < tc.away {
						return false, trouble
					}
					return true, nil
				})
				if !errors.Is(err, tc.want) || (err == nil) != (tc.want == nil) {
					t.Errorf("got %v, want %v", err, tc.want)
				}
				if took := time.Since(start); took > Patience+time.Second {
					t.Errorf("gave up only after %s", took)
				}
			})
		})
	}
}

func TestPollSaysWhyItEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, errors.New("the time is up"))
		defer cancel()
		err := Until(ctx, func(context.Context) (bool, error) { return false, errors.New("connection refused") })
		if err == nil || !strings.Contains(err.Error(), "the time is up") || !strings.Contains(err.Error(), "connection refused") {
			t.Errorf("got %v", err)
		}
	})
}

func TestPollIsNotFooledByDeadlinesOfOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		err := Until(t.Context(), func(context.Context) (bool, error) {
			return false, fmt.Errorf("ask agent: %w", context.DeadlineExceeded)
		})
		if err == nil || !strings.Contains(err.Error(), "ask agent") {
			t.Errorf("got %v", err)
		}
	})
}
