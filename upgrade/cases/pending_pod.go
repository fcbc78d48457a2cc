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
	"fmt"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/upgrade/path"
)

// PendingPod has a pod waiting for the only device during each step.
var PendingPod = Case{
	Meta: spec.Meta{
		ID:       "upgrade/pending-pod",
		Checks:   "A pod waiting for a device during a step is not allocated one until it becomes free.",
		Requires: []spec.RequirementID{"kep-4381/unschedulable-says-why", "kep-4381/deallocate-after-last"},
		Needs:    spec.Needs{Profile: profiles.OneDevice()},
	},
	Before: func(t *harness.T, n *Notes) {
		class := t.CreateClass(nil)
		t.Create(objects.Template("template", objects.Claim("", objects.Request("req", class))))
		t.RunPod(objects.PodFromTemplate(waiter(n), t.Image, "template"))
		wait(t, n)
	},
	After: func(t *harness.T, n *Notes, _ path.Step) {
		holder := Notes{Round: n.Round - 1}
		t.WaitRunning(waiter(&holder))
		awaitActed(t)
		waiting := t.WaitUnschedulable(waiter(n), "cannot allocate all claims")
		t.Expect(t.Claim(generated(t, waiting)).Status).To(gomega.Equal(resourceapi.ResourceClaimStatus{}), "status of the claim of pod %s, while pod %s has the device", waiter(n), waiter(&holder))
		t.RemovePod(waiter(&holder))
		t.WaitRunning(waiter(n))
		t.Expect(t.Environment(waiter(n), "main")).To(matchers.SeeOnlyDevices("device-0"), "devices of pod %s", waiter(n))
	},
	Anew: func(t *harness.T, n *Notes, _ path.Step) { wait(t, n) },
	Gone: func(t *harness.T, n *Notes) {
		holder := Notes{Round: n.Round - 1}
		t.RemovePod(waiter(n))
		t.RemovePod(waiter(&holder))
	},
}

func waiter(n *Notes) string { return fmt.Sprintf("pod-%d", n.Round) }

// wait creates the pod waiting for its predecessor's device.
func wait(t *harness.T, n *Notes) {
	n.Round++
	t.Create(objects.PodFromTemplate(waiter(n), t.Image, "template"))
	t.WaitUnschedulable(waiter(n), "cannot allocate all claims")
}
