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
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/upgrade/path"
)

// feature has the differences between the cases of DRA's features.
type feature struct {
	spec.Meta

	// prepare runs before any claim is created; it may be nil.
	prepare func(t *harness.T, n *Notes)
	// request can be satisfied twice.
	request func(class string) resourceapi.DeviceRequest
	// tooMuch cannot be satisfied after request was twice; it may be nil.
	tooMuch func(class string) resourceapi.DeviceRequest
	// also runs in each mix of versions with the feature; it may be nil.
	also func(t *harness.T, n *Notes)
	// ofGate are additional requirements of the gate's case.
	ofGate []spec.RequirementID
	// dropped checks that a claim with request, created with the gate off, has no fields of the
	// feature; nil if request has none.
	dropped func(t *harness.T, claim *resourceapi.ResourceClaim)
	// unstored removes the fields dropped from a device while the gate is off; nil if the feature's
	// gate is not switched.
	unstored func(device *resourceapi.Device)
	// holds checks an allocated claim for the feature.
	holds func(t *harness.T, claim *resourceapi.ResourceClaim)
}

// lives has a claim living through the steps, and others come and go.
func (f feature) lives() Case {
	return Case{
		Meta: f.Meta,
		Before: func(t *harness.T, n *Notes) {
			t.CreateClass(nil)
			if f.prepare != nil {
				f.prepare(t, n)
			}
			f.run(t, "stays")
			n.note(t, "stays", "stays")
		},
		After: func(t *harness.T, n *Notes, _ path.Step) {
			n.unchanged(t)
			f.holds(t, t.Claim("stays"))
		},
		Anew: func(t *harness.T, n *Notes, step path.Step) {
			if n.Round++; concerns(t, step) {
				f.anew(t, n)
			}
		},
		Gone: func(t *harness.T, n *Notes) {
			for name := range n.Pods {
				end(t, name)
				simdriver.Of(t).ExpectCalls(spec.Prepare, name, 1, "from first to last")
			}
		},
	}
}

// anew satisfies a new claim, and checks that another one waits meanwhile.
func (f feature) anew(t *harness.T, n *Notes) {
	name, refused := fmt.Sprintf("anew-%d", n.Round), fmt.Sprintf("refused-%d", n.Round)
	f.run(t, name)
	if f.tooMuch != nil {
		t.Create(objects.Claim(refused, f.tooMuch(t.DriverName())), objects.Pod(refused, t.Image, refused))
		t.WaitUnschedulable(refused, "cannot allocate all claims")
		t.RemovePod(refused)
		deleteClaim(t, refused)
	}
	end(t, name)
	if f.also != nil {
		f.also(t, n)
	}
}

func (f feature) run(t *harness.T, name string) {
	t.Create(objects.Claim(name, f.request(t.DriverName())))
	t.RunPod(objects.Pod(name, t.Image, name))
	claim := t.Claim(name)
	f.holds(t, claim)
	t.Expect(t.Environment(name, "main")).To(matchers.SeeOnlyDevices(result(t, claim).Device), "devices of pod %s", name)
}

func end(t *harness.T, name string) {
	t.RemovePod(name)
	awaitUnprepared(t, name)
	t.WaitDeallocated(name)
	deleteClaim(t, name)
}

func deleteClaim(t *harness.T, name string) {
	t.Delete(&resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: t.Namespace}})
}

func result(t *harness.T, claim *resourceapi.ResourceClaim) resourceapi.DeviceRequestAllocationResult {
	t.Expect(claim.Status.Allocation).NotTo(gomega.BeNil(), "allocation of claim %s", claim.Name)
	t.Expect(claim.Status.Allocation.Devices.Results).To(gomega.HaveLen(1), "devices of claim %s", claim.Name)
	return claim.Status.Allocation.Devices.Results[0]
}
