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

package sanity

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/spec"
)

// The timeout of a check follows from the call timeouts, excludes restarts, and is not counted
// against the driver.
func TestTimeOfACheck(t *testing.T) {
	prepares := func(times int) func(*T) {
		return func(t *T) {
			claim := t.One(t.Devices(1)[0])
			for range times {
				t.Prepare(claim, "again")
			}
		}
	}
	restarts := func(t *T) {
		t.restart(func() {})
		prepares(12)(t)
	}
	for name, row := range map[string]struct {
		call, restart time.Duration
		run           func(*T)
		want          spec.Status
		text          string
	}{
		"slow calls, as allowed":  {call: 55 * time.Second, run: prepares(12), want: spec.Passed},
		"a call that is too long": {call: 61 * time.Second, run: prepares(1), want: spec.Failed, text: "DeadlineExceeded"},
		"too many slow calls":     {call: 55 * time.Second, run: prepares(20), want: spec.Blocked, text: "has not come to its end, it has taken 15m20s"},
		"a slow restart":          {call: 55 * time.Second, restart: 9 * time.Minute, run: restarts, want: spec.Passed},
		"an endless restart":      {restart: time.Hour, run: restarts, want: spec.Blocked, text: "restart the driver: context deadline exceeded"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := &testDriver{prepare: func(_ string, claim *resourceapi.ResourceClaim) (*Answer, error) {
					time.Sleep(row.call)
					return prepared(claim), nil
				}}
				w := d.served(t, devices("a")...)
				w.CallTimeout = time.Minute
				w.PublishTimeout = 10 * time.Second
				w.Restart = func(ctx context.Context) error {
					select {
					case <-time.After(row.restart):
						return nil
					case <-ctx.Done():
						return ctx.Err()
					}
				}
				did(t, w, Check{Meta: spec.Meta{ID: "sanity/slow"}, Run: row.run}, row.want, row.text)
			})
		})
	}
}

// A driver taking six seconds for a device was blocked, as the check takes 64 calls.
func TestTimeOfEachDevice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &testDriver{prepare: func(_ string, claim *resourceapi.ResourceClaim) (*Answer, error) {
			time.Sleep(6 * time.Second)
			return prepared(claim), nil
		}}
		w := d.served(t, devices(strings.Split("abcdefghijklmnop", "")...)...)
		w.CallTimeout, w.PublishTimeout = 10*time.Second, 10*time.Second
		did(t, w, eachDevice, spec.Passed, "")
	})
}
