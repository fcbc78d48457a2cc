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
	"fmt"
	"slices"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
	drapb "k8s.io/kubelet/pkg/apis/dra/v1"
	"tags.cncf.io/container-device-interface/pkg/parser"
)

// misnamed compares an answer with the driver's devices in the claim's allocation: unexpected,
// repeated and missing devices, with pool, name, share and requests. A driver may leave shares and
// requests out, and name alternatives or not.
func misnamed(driver string, claim *resourceapi.ResourceClaim, answer *Answer) []string {
	var problems []string
	for i, d := range answer.GetDevices() {
		what := fmt.Sprintf("device %q of pool %q", d.GetDeviceName(), d.GetPoolName())
		if d.ShareId != nil {
			what += fmt.Sprintf(" with share %q", d.GetShareId())
		}
		if slices.ContainsFunc(answer.GetDevices()[:i], func(other *drapb.Device) bool { return proto.Equal(d, other) }) {
			problems = append(problems, what+" is in the answer more than once")
			continue
		}
		var requests []string
		found := false
		for _, r := range claim.Status.Allocation.Devices.Results {
			if r.Driver == driver && r.Pool == d.GetPoolName() && r.Device == d.GetDeviceName() && isShare(d, r) {
				found = true
				requests = append(requests, r.Request, resourceclaim.BaseRequestRef(r.Request))
			}
		}
		if !found {
			problems = append(problems, what+" is in the answer, and the claim does not have it of this driver")
			continue
		}
		for _, name := range d.GetRequestNames() {
			if !slices.Contains(requests, name) {
				problems = append(problems, fmt.Sprintf("%s is answered for request %q, which did not get it", what, name))
			}
		}
	}
	for _, r := range claim.Status.Allocation.Devices.Results {
		if r.Driver == driver && !slices.ContainsFunc(answer.GetDevices(), func(d *drapb.Device) bool { return isFor(d, r) }) {
			problems = append(problems, fmt.Sprintf("device %q of pool %q, allocated for request %q, is not in the response", r.Device, r.Pool, r.Request))
		}
	}
	return problems
}

// named fails the check unless an answer has the claim's devices. An answer without devices is valid.
func (t *T) named(claim *resourceapi.ResourceClaim, answer *Answer, when string) {
	if len(answer.GetDevices()) > 0 {
		t.expect(misnamed(t.Driver, claim, answer), when)
	}
}

// isFor reports whether a device of an answer belongs to a request's result.
func isFor(d *drapb.Device, r resourceapi.DeviceRequestAllocationResult) bool {
	names := d.GetRequestNames()
	return d.GetPoolName() == r.Pool && d.GetDeviceName() == r.Device && isShare(d, r) &&
		(len(names) == 0 || slices.Contains(names, r.Request) || slices.Contains(names, resourceclaim.BaseRequestRef(r.Request)))
}

// isShare reports whether a device of an answer may be the share of a result.
func isShare(d *drapb.Device, r resourceapi.DeviceRequestAllocationResult) bool {
	return d.ShareId == nil || r.ShareID != nil && d.GetShareId() == string(*r.ShareID)
}

// flooded returns a problem if an answer has more devices than a claim can have. Answers are compared
// device by device, so a larger one would take for ever.
func flooded(answer *Answer) string {
	if n := len(answer.GetDevices()); n > resourceapi.AllocationResultsMaxSize {
		return fmt.Sprintf("the answer has %d devices, and no claim has more than %d", n, resourceapi.AllocationResultsMaxSize)
	}
	return ""
}

// unqualified returns the CDI devices of an answer without a fully qualified name.
func unqualified(answer *Answer) []string {
	var problems []string
	for _, id := range ids(answer) {
		if _, _, _, err := parser.ParseQualifiedName(id); err != nil {
			problems = append(problems, fmt.Sprintf("%q is no fully qualified name of a CDI device: %v", id, err))
		}
	}
	return problems
}

// differences compares two answers for one claim, ignoring the order of devices.
func differences(first, second *Answer) []string {
	var problems []string
	for _, pair := range []struct {
		a, b  *Answer
		where string
	}{{first, second, "is missing"}, {second, first, "is new"}} {
		for _, d := range pair.a.GetDevices() {
			if !slices.ContainsFunc(pair.b.GetDevices(), func(other *drapb.Device) bool { return proto.Equal(d, other) }) {
				problems = append(problems, fmt.Sprintf("device %s %s", describe(d), pair.where))
			}
		}
	}
	if len(problems) == 0 && len(first.GetDevices()) != len(second.GetDevices()) {
		problems = append(problems, fmt.Sprintf("%d devices were %d before", len(second.GetDevices()), len(first.GetDevices())))
	}
	return problems
}

func describe(d *drapb.Device) string {
	return fmt.Sprintf("%q of pool %q for %v as %v", d.GetDeviceName(), d.GetPoolName(), d.GetRequestNames(), d.GetCdiDeviceIds())
}

// refusal returns the driver's error message, empty on success. The problem is set for invalid
// answers: none at all, or an error without message.
func refusal(claim *resourceapi.ResourceClaim, answers map[string]*Answer, err error) (why, problem string) {
	switch status.Code(err) {
	case codes.OK:
		answer, ok := answers[string(claim.UID)]
		if !ok {
			return "", fmt.Sprintf("there is no answer for claim %s", claim.UID)
		}
		if why = answer.GetError(); why == "" {
			return "", flooded(answer)
		}
	case codes.Unavailable, codes.DeadlineExceeded, codes.Canceled:
		return "", fmt.Sprintf("the call was not answered, so nothing was rejected (did the driver crash?): %v", err)
	default:
		why = status.Convert(err).Message()
	}
	if why = strings.TrimSpace(why); why == "" {
		return "", fmt.Sprintf("the claim is refused without a message: %v", err)
	}
	return why, ""
}

// unanswered returns the claims without an answer, and the answers for none of the claims.
func unanswered[A any](answers map[string]A, claims ...*resourceapi.ResourceClaim) []string {
	var problems []string
	asked := map[string]bool{}
	for _, c := range claims {
		asked[string(c.UID)] = true
		if _, ok := answers[string(c.UID)]; !ok {
			problems = append(problems, fmt.Sprintf("there is no answer for claim %s", c.UID))
		}
	}
	for uid := range answers {
		if !asked[uid] {
			problems = append(problems, fmt.Sprintf("the response has %q, which was not requested", uid))
		}
	}
	slices.Sort(problems)
	return problems
}
