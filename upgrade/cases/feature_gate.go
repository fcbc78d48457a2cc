package cases

import (
	"fmt"
	"slices"
	"strings"

	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
)

// byGate has a case for each feature whose gate can be switched.
func byGate() []Case {
	var all []Case
	for _, f := range []feature{taints, partitions, capacity, bindingConditions} {
		all = append(all, f.switched())
	}
	return all
}

// switched has the feature's gate, the first of what it needs, switched while a pod
// uses it. Its devices are published only where they can be stored as they are.
func (f feature) switched() Case {
	gate, published := f.Needs.Features[0], f.Needs.Profile
	m := f.Meta
	m.ID = strings.Replace(m.ID, "/", "/gate-", 1)
	m.Checks = fmt.Sprintf("A pod that uses %s runs on while the feature gate is switched off and can be ended then; nothing of the feature is stored then in a slice that is made, and a claim gets a device as if there were no such feature; switched on, or on again, it works as at first.", gate)
	m.Requires = slices.Concat(m.Requires, f.ofGate)
	m.Needs.Features, m.Needs.Profile = slices.Clone(f.Needs.Features[1:]), profiles.Empty()
	name := func(n *Notes) string { return fmt.Sprintf("stays-%d", n.Round) }
	return cycle{
		gate:   gate,
		before: func(t *harness.T, _ *Notes) { t.CreateClass(nil) },
		on: func(t *harness.T, n *Notes) {
			t.Driver.Publish(published)
			if f.prepare != nil {
				f.prepare(t, n)
			}
			f.run(t, name(n))
			n.note(t, name(n), name(n))
			f.anew(t, n)
		},
		off: func(t *harness.T, n *Notes) {
			if _, ok := n.Pods[name(n)]; ok {
				end(t, name(n))
				n.forget(name(n), name(n))
			}
			f.without(t, n)
			t.Driver.Publish(profiles.Empty())
		},
	}.of(m)
}

// without has a claim that asks for the feature, if a claim does, get an ordinary device
// without it.
func (f feature) without(t *harness.T, n *Notes) {
	f.expectUnstored(t, n)
	t.Driver.Publish(profiles.OneDevice())
	name, request := fmt.Sprintf("without-%d", n.Round), one(t.Driver.Name)
	if f.dropped != nil {
		request = f.request(t.Driver.Name)
	}
	t.Create(objects.Claim(name, request))
	t.RunPod(objects.Pod(name, t.Image, name))
	claim := t.Claim(name)
	got := result(t, claim)
	t.Expect(t.Environment(name, "main")).To(matchers.SeeOnlyDevices(got.Device), "devices of pod %s", name)
	if f.dropped != nil {
		f.dropped(t, claim)
	}
	end(t, name)
}

// expectUnstored has a slice made, of a driver that no class is for.
func (f feature) expectUnstored(t *harness.T, n *Notes) {
	slice := t.Slice(fmt.Sprintf("unstored-%d", n.Round), t.Nodes[0], f.Needs.Profile.Pools[0].Devices...).DeepCopy()
	slice.Spec.Driver = "off." + slice.Spec.Driver
	want := slice.DeepCopy().Spec.Devices
	for i := range want {
		f.unstored(&want[i])
	}
	t.Create(slice)
	t.Get(slice)
	t.Expect(slice.Spec.Devices).To(gomega.BeComparableTo(want), "stored devices while feature gate %s is off", f.Needs.Features[0])
	t.Delete(slice)
}
