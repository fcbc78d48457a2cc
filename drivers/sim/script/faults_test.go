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

package script

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"
	drapb "k8s.io/kubelet/pkg/apis/dra/v1"

	"github.com/dra-conformance/dratest/framework/spec"
)

func device(request string, cdi ...string) *drapb.Device {
	d := &drapb.Device{CdiDeviceIds: cdi}
	if request != "" {
		d.RequestNames = []string{request}
	}
	return d
}

func TestFalsify(t *testing.T) {
	for kind, want := range map[spec.FaultKind][]*drapb.Device{
		spec.FaultWrongDevice: {device("one", "a-does-not-exist", "b-does-not-exist"), device("two", "c-does-not-exist"), device("three", "d-does-not-exist")},
		spec.FaultSwapped:     {device("one", "c"), device("two", "d"), device("three", "a", "b")},
		spec.FaultAllRequests: {device("", "a", "b"), device("", "c"), device("", "d")},
		spec.FaultNoCDI:       {device("one"), device("two"), device("three")},
		spec.FaultAllCDI:      {device("one", "a", "b", "c", "d"), device("two", "a", "b", "c", "d"), device("three", "a", "b", "c", "d")},
	} {
		devices := []*drapb.Device{device("one", "a", "b"), device("two", "c"), device("three", "d")}
		falsify(devices, kind)
		if diff := cmp.Diff(want, devices, protocmp.Transform()); diff != "" {
			t.Errorf("%s: %s", kind, diff)
		}
		falsify(nil, kind)
	}
}

// Faults not visible in an answer are left to the driver, for the scripted claim.
func TestBeyond(t *testing.T) {
	var got []spec.FaultKind
	handle := func(ctx context.Context, claims []*drapb.Claim) (map[string]*answer, error) {
		for _, c := range claims {
			got = append(got, Beyond(ctx, c.Name))
		}
		return nil, nil
	}
	c := &call{method: spec.Prepare, claims: []*drapb.Claim{{Name: "one"}, {Name: "two"}}, handle: handle}
	for _, fault := range []spec.Fault{{}, {Kind: spec.FaultNoParameters}, {Kind: spec.FaultOtherDevice, Claim: "two"}} {
		if _, err := apply(t.Context(), c, fault, nil); err != nil {
			t.Error(err)
		}
	}
	want := []spec.FaultKind{"", "", spec.FaultNoParameters, spec.FaultNoParameters, "", spec.FaultOtherDevice}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
