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

package node

import (
	"context"
	"slices"
	"time"

	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/kubelet"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// RestartedMeanwhile restarts a kubelet waiting for drivers. The claim being prepared has devices
// of two drivers.
var RestartedMeanwhile = harness.Case{Meta: spec.Meta{
	ID:            "node/restarted-meanwhile",
	Checks:        "A kubelet restarted during prepare and unprepare calls repeats them.",
	Requires:      []spec.RequirementID{"kep-4381/prepare-retried", "kep-4381/unprepare-retried"},
	Needs:         spec.Needs{Profile: profiles.TwoDevices(), Disruption: true},
	SerialBecause: restartsKubelet,
	HoldsNode:     true,
}, Run: func(t *harness.T) {
	second := simdriver.Second(t, profiles.OneDevice(), nil)
	class, node := t.CreateClass(nil), t.Nodes[0]
	t.Create(objects.Class(second.Name, second.Name))
	t.Create(objects.Claim("ends", objects.Request("req", class)), objects.OnlyOn(objects.Pod("ends", t.Image, "ends"), node))
	ends := t.WaitRunning("ends")
	hang := func(method spec.Method) spec.Fault { return spec.Fault{Method: method, Kind: spec.FaultHang, Times: 1} }
	simdriver.Of(t).Fail(hang(spec.Prepare), hang(spec.Unprepare))
	second.Fail(hang(spec.Prepare))

	t.Create(objects.Claim("half", objects.Request("first", class), objects.Request("second", second.Name)), objects.OnlyOn(objects.Pod("half", t.Image, "half"), node))
	asked := awaitAsked(t, spec.Prepare, "half", simdriver.Of(t), second)
	// The kubelet may call either driver first, and the other call must not hang.
	if asked == simdriver.Of(t) {
		second.Fail()
	} else {
		simdriver.Of(t).Fail(hang(spec.Unprepare))
	}
	t.Delete(ends, harness.GracePeriod(time.Second))
	awaitAsked(t, spec.Unprepare, "ends", simdriver.Of(t))

	kubelet.Restart(t, node)

	t.WaitRunning("half")
	t.Expect(t.Environment("half", "main")).To(gomega.And(matchers.SeeRequest("half", "first"), matchers.SeeDevices("half", "second", "device-0")), "devices of both drivers")
	t.WaitPodGone("ends")
	t.WaitDeallocated("ends")
	simdriver.Of(t).ExpectCallsAtLeast(spec.Unprepare, "ends", 2, "as the first one was interrupted")
	t.RemovePod("half")
	t.Driver.AwaitUnprepared()
	second.AwaitUnprepared()
}}

// awaitAsked returns the driver with a pending call for a claim.
func awaitAsked(t *harness.T, method spec.Method, claim string, drivers ...*simdriver.Driver) (asked *simdriver.Driver) {
	t.Poll("a "+string(method)+" call for claim "+claim+" without an answer", func(context.Context) (bool, string, error) {
		seen := "no call in progress"
		for _, d := range drivers {
			if slices.ContainsFunc(d.Calls(method, claim), func(c spec.Call) bool { return c.InProgress }) {
				asked, seen = d, "a call of driver "+d.Name
			}
		}
		return asked != nil, seen, nil
	})
	return asked
}
