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

package undertest

import (
	"context"
	"fmt"
	"slices"

	"github.com/onsi/ginkgo/v2"

	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/harness/await"
)

// AwaitUnprepared waits until the kubelets' checkpoints have no claim of the case. The deallocation of
// a claim is no sign of that: claims of pods that were deleted by force are deallocated before.
func (d *Driver) AwaitUnprepared() {
	ginkgo.GinkgoHelper()
	d.t.Poll("the kubelets to have no claim of the case prepared", d.unprepared)
}

// awaitUnprepared is AwaitUnprepared for the cleanup.
func (d *Driver) awaitUnprepared(ctx context.Context) error {
	var last string
	err := await.Until(ctx, func(ctx context.Context) (bool, error) {
		done, seen, err := d.unprepared(ctx)
		if err == nil {
			last = seen
		}
		return done, err
	})
	if err != nil {
		return fmt.Errorf("wait for the kubelets to unprepare: %w; seen: %s", err, last)
	}
	return nil
}

// unprepared looks into the checkpoints of the driver's nodes. Unreadable ones are not the fault of the driver: they
// block a case that has not failed.
func (d *Driver) unprepared(ctx context.Context) (done bool, seen string, err error) {
	var left []string
	for _, node := range d.spec.ClassFor(d.t.Meta().Needs.DriverFeatures).Nodes {
		claims, failed := agentapi.ReadPrepared(ctx, d.t.Env().Agents, node)
		if err = failed; err != nil {
			break
		}
		if slices.ContainsFunc(claims, func(c agentapi.PreparedClaim) bool { return c.Namespace == d.t.Namespace }) {
			left = append(left, node)
		}
	}
	switch {
	case ctx.Err() != nil, ginkgo.CurrentSpecReport().Failed(): // as it was before
	case err != nil:
		d.t.SetBlocked(err.Error())
	default:
		d.t.SetBlocked("")
	}
	return len(left) == 0, fmt.Sprintf("claims are in the checkpoints of %v", left), err
}
