package cases

import (
	"fmt"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/upgrade/path"
)

// feature is what the cases of DRA's features differ in.
type feature struct {
	spec.Meta

	// prepare does what has to be done before there are claims; it may be nil.
	prepare func(t *harness.T, n *Notes)
	// request is for a device that can be had twice.
	request func(class string) resourceapi.DeviceRequest
	// tooMuch is for what cannot be had once request was satisfied twice; it may be
	// nil.
	tooMuch func(class string) resourceapi.DeviceRequest
	// also does more in each mixture of versions with the feature; it may be nil.
	also func(t *harness.T, n *Notes)
	// ofGate is what the case of its gate checks beside.
	ofGate []spec.RequirementID
	// dropped checks of a claim like request that was made while the gate is off that it
	// says nothing of the feature; nil where a request says nothing of it anyway.
	dropped func(t *harness.T, claim *resourceapi.ResourceClaim)
	// unstored takes away from a device what is not stored of it while the gate is off; nil
	// where the feature's gate is not switched.
	unstored func(device *resourceapi.Device)
	// holds checks what the feature says about an allocated claim.
	holds func(t *harness.T, claim *resourceapi.ResourceClaim)
}

// lives has a claim live through the steps, and another one come and go.
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
				t.Expect(t.Driver.Calls(spec.Prepare, name)).To(gomega.HaveLen(1), "NodePrepareResources calls for claim %s, from first to last", name)
			}
		},
	}
}

// anew has a claim satisfied that is made now, and refuses another one meanwhile.
func (f feature) anew(t *harness.T, n *Notes) {
	name, refused := fmt.Sprintf("anew-%d", n.Round), fmt.Sprintf("refused-%d", n.Round)
	f.run(t, name)
	if f.tooMuch != nil {
		t.Create(objects.Claim(refused, f.tooMuch(t.Driver.Name)), objects.Pod(refused, t.Image, refused))
		t.WaitUnschedulable(refused, "cannot allocate all claims")
		t.RemovePod(refused)
		deleteClaim(t, refused)
	}
	end(t, name)
	if f.also != nil {
		f.also(t, n)
	}
}

// run runs a pod with a claim of the same name.
func (f feature) run(t *harness.T, name string) {
	t.Create(objects.Claim(name, f.request(t.Driver.Name)))
	t.RunPod(objects.Pod(name, t.Image, name))
	claim := t.Claim(name)
	f.holds(t, claim)
	t.Expect(t.Environment(name, "main")).To(matchers.SeeOnlyDevices(result(t, claim).Device), "devices of pod %s", name)
}

// end ends a pod with a claim of the same name, and the claim.
func end(t *harness.T, name string) {
	t.RemovePod(name)
	awaitUnprepared(t, name)
	t.WaitDeallocated(name)
	deleteClaim(t, name)
}

func deleteClaim(t *harness.T, name string) {
	t.Delete(&resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: t.Namespace}})
}

// result is the only device of an allocated claim.
func result(t *harness.T, claim *resourceapi.ResourceClaim) resourceapi.DeviceRequestAllocationResult {
	t.Expect(claim.Status.Allocation).NotTo(gomega.BeNil(), "allocation of claim %s", claim.Name)
	t.Expect(claim.Status.Allocation.Devices.Results).To(gomega.HaveLen(1), "devices of claim %s", claim.Name)
	return claim.Status.Allocation.Devices.Results[0]
}
