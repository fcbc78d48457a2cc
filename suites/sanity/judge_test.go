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
	"strings"
	"testing"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	drapb "k8s.io/kubelet/pkg/apis/dra/v1"
	"k8s.io/utils/ptr"
)

func claim(uid string, results ...resourceapi.DeviceRequestAllocationResult) *resourceapi.ResourceClaim {
	return &resourceapi.ResourceClaim{
		ObjectMeta: metav1.ObjectMeta{Name: "name-" + uid, UID: types.UID(uid)},
		Status: resourceapi.ResourceClaimStatus{Allocation: &resourceapi.AllocationResult{
			Devices: resourceapi.DeviceAllocationResult{Results: results},
		}},
	}
}

func result(request, driver, device string) resourceapi.DeviceRequestAllocationResult {
	return resourceapi.DeviceRequestAllocationResult{Request: request, Driver: driver, Pool: "p", Device: device}
}

func answer(devices ...*drapb.Device) *Answer { return &Answer{Devices: devices} }

func answered(device string, requests ...string) *drapb.Device {
	return &drapb.Device{PoolName: "p", DeviceName: device, RequestNames: requests}
}

// said fails unless the problems contain the wanted text, or are empty for "".
func said(t *testing.T, name string, problems []string, want string) {
	t.Helper()
	if text := strings.Join(problems, "; "); (want == "") != (text == "") || !strings.Contains(text, want) {
		t.Errorf("%s: got %q, want %q", name, text, want)
	}
}

func TestMisnamed(t *testing.T) {
	c := claim("u", result("one", "d", "a"), result("two/alt", "d", "b"), result("three", "other", "c"))
	for name, row := range map[string]struct {
		answer *Answer
		want   string
	}{
		"right":                   {answer(answered("a", "one"), answered("b", "two")), ""},
		"alternative named":       {answer(answered("a", "one"), answered("b", "two/alt")), ""},
		"for all requests":        {answer(answered("a"), answered("b")), ""},
		"one is missing":          {answer(answered("a", "one")), `device "b" of pool "p", allocated for request "two/alt", is not in the response`},
		"under another's request": {answer(answered("a", "one"), answered("b", "one")), `for request "two/alt", is not in the response`},
		"another request":         {answer(answered("a", "two")), `"a" of pool "p" is answered for request "two", which did not get it`},
		"another driver's device": {answer(answered("c", "three")), "the claim does not have it of this driver"},
		"repeated":                {answer(answered("a", "one"), answered("b", "two"), answered("a", "one")), `device "a" of pool "p" is in the answer more than once`},
		"no name":                 {answer(&drapb.Device{RequestNames: []string{"one"}}), `device "" of pool ""`},
	} {
		said(t, name, misnamed("d", c, row.answer), row.want)
	}
}

// A share identifies the allocation of a shared device, and may be left out.
func TestMisnamedShares(t *testing.T) {
	one, two := result("one", "d", "a"), result("two", "d", "a")
	one.ShareID, two.ShareID = ptr.To[types.UID]("s1"), ptr.To[types.UID]("s2")
	share := func(id, request string) *drapb.Device {
		d := answered("a", request)
		d.ShareId = &id
		return d
	}
	c := claim("u", one, two)
	said(t, "right", misnamed("d", c, answer(share("s1", "one"), share("s2", "two"))), "")
	said(t, "left out", misnamed("d", c, answer(answered("a", "one"), answered("a", "two"))), "")
	said(t, "merged", misnamed("d", c, answer(share("s1", "one"))), `allocated for request "two", is not in the response`)
	said(t, "mixed up", misnamed("d", c, answer(share("s2", "one"), share("s1", "two"))), `"a" of pool "p" with share "s2" is answered for request "one"`)
	said(t, "of another claim", misnamed("d", c, answer(share("s0", "one"), share("s2", "two"))), "the claim does not have it")
}

func TestUnqualified(t *testing.T) {
	said(t, "right", unqualified(answer(&drapb.Device{CdiDeviceIds: []string{"d.example.com/class=a"}})), "")
	said(t, "wrong", unqualified(answer(&drapb.Device{CdiDeviceIds: []string{"a"}})), `"a" is no fully qualified name`)
}

func TestDifferences(t *testing.T) {
	both := answer(answered("a", "one"), answered("b", "two"))
	said(t, "other order", differences(both, answer(answered("b", "two"), answered("a", "one"))), "")
	said(t, "one less", differences(both, answer(answered("a", "one"))), `device "b" of pool "p" for [two] as [] is missing`)
	said(t, "one more", differences(answer(answered("a", "one")), both), "is new")
	said(t, "one twice", differences(both, answer(answered("a", "one"), answered("b", "two"), answered("b", "two"))), "3 devices were 2 before")
}

func TestUnanswered(t *testing.T) {
	a, b := claim("a"), claim("b")
	said(t, "all", unanswered(map[string]string{"a": "", "b": ""}, a, b), "")
	said(t, "one missing", unanswered(map[string]string{"a": ""}, a, b), "no answer for claim b")
	said(t, "another one", unanswered(map[string]string{"a": "", "b": "", "c": ""}, a, b), `the response has "c"`)
}
