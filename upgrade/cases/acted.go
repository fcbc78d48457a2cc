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

package cases

import (
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
)

// awaitActed waits until scheduler and controllers have handled a new pod without a matching
// device. All pods waiting before it have been handled by then: the scheduler's queue has the
// oldest first, and a new scheduler fills it before it starts. Without this, a pod may be pending
// only because it was not handled since the step.
func awaitActed(t *harness.T) {
	const probe = "comes-last"
	template := objects.Template(probe, objects.Claim("", objects.Request("req", t.DriverName(), "false")))
	t.Create(template, objects.PodFromTemplate(probe, t.Image, probe))
	t.WaitUnschedulable(probe, "cannot allocate all claims")
	t.RemovePod(probe)
	t.Delete(template)
}
