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
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/dra-conformance/dratest/framework/spec"
)

// restarting bounds the driver's restart by the restart hook.
const restarting = 10 * time.Minute

// restart restarts the driver and waits until it answers. It calls meanwhile before that.
func (t *T) restart(meanwhile func()) {
	if t.Restart == nil {
		t.NotApplicablef("needs to restart the driver: say how (--restart)")
	}
	meanwhile()
	t.replace(t.Restart, "restart the driver")
}

// replace replaces the driver's process and waits until the next one answers, in its newest plugin
// API version.
func (t *T) replace(by func(context.Context) error, what string) {
	// The restart does not count toward the check's timeout: it is reset.
	t.timer.Stop()
	ctx, cancel := context.WithTimeout(t.ctx, restarting)
	defer cancel()
	t.trace.add("%s", what)
	t.need(by(ctx), what)
	t.timer.Reset(t.limit())
	var last error
	if !t.await(func(ctx context.Context) bool {
		if last = t.answers(ctx, t.version); status.Code(last) == codes.Unimplemented {
			var versions []spec.GRPCVersion
			if versions, last = t.served(ctx); last == nil {
				t.version = versions[0]
			}
		}
		return last == nil
	}) {
		t.Failf("%s: the driver does not answer after %s: %v", what, t.PublishTimeout, last)
	}
}
