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
	"slices"
	"strings"

	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
)

// byGate returns a case for each feature with a switchable gate.
func byGate() []Case {
	var all []Case
	for _, f := range []feature{taints, partitions, capacity, bindingConditions} {
		all = append(all, f.switched())
	}
	return all
}

// switched switches the feature's gate, the first of its needs, while a pod uses it. With the gate
// off, new slices store nothing of the feature, and claims get a device as if it did not exist. Its
// devices are published only with the gate on.
func (f feature) switched() Case {
	gate, published := f.Needs.Features[0], f.Needs.Profile
	m := f.Meta
	m.ID = strings.Replace(m.ID, "/", "/gate-", 1)
	m.Checks = fmt.Sprintf("A pod using %s survives switching its feature gate off, and the feature works when on again.", gate)
	m.Requires = slices.Concat(m.Requires, f.ofGate)
	m.Needs.Features, m.Needs.Profile = slices.Clone(f.Needs.Features[1:]), profiles.Empty()
	name := func(n *Notes) string { return fmt.Sprintf("stays-%d", n.Round) }
	return cycle{
		gate:   gate,
		before: func(t *harness.T, _ *Notes) { t.CreateClass(nil) },
		on: func(t *harness.T, n *Notes) {
			simdriver.Of(t).Publish(published)
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
			simdriver.Of(t).Publish(profiles.Empty())
		},
	}.of(m)
}

// without satisfies a claim with the feature's request, if any, by an ordinary device.
func (f feature) without(t *harness.T, n *Notes) {
	f.expectUnstored(t, n)
	simdriver.Of(t).Publish(profiles.OneDevice())
	name, request := fmt.Sprintf("without-%d", n.Round), one(t.DriverName())
	if f.dropped != nil {
		request = f.request(t.DriverName())
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

// expectUnstored creates a slice of a driver without a class.
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
