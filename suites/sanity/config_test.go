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
	"encoding/json"
	"fmt"
	"testing"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/spec"
)

// configured is a driver recording the applied configurations in a CDI file.
func configured(applies func(resourceapi.DeviceAllocationConfiguration) bool, refuses func(resourceapi.DeviceAllocationConfiguration) bool) *testDriver {
	d := &testDriver{specs: map[string][]byte{}}
	d.prepare = func(_ string, claim *resourceapi.ResourceClaim) (*Answer, error) {
		applied := 0
		for _, c := range claim.Status.Allocation.Devices.Config {
			if refuses(c) {
				return &Answer{Error: "refused"}, nil
			}
			if applies(c) {
				applied++
			}
		}
		d.specs["/cdi/d.json"] = fmt.Appendf(nil, `{"cdiVersion":"0.6.0","kind":"d.example.com/c","devices":[{"name":"x","containerEdits":{"env":["APPLIED=%d"]}}]}`, applied)
		a := prepared(claim)
		a.Devices[0].CdiDeviceIds = []string{"d.example.com/c=x"}
		return a, nil
	}
	return d
}

func TestConfigurations(t *testing.T) {
	type config = resourceapi.DeviceAllocationConfiguration
	none := func(config) bool { return false }
	all := func(config) bool { return true }
	own := func(c config) bool { return c.Opaque.Driver == "d" }
	unknownKind := func(c config) bool { return string(c.Opaque.Parameters.Raw) == unknown }
	for name, row := range map[string]struct {
		check            Check
		applies, refuses func(config) bool
		want             spec.Status
	}{
		"for all requests":                    {configForAllRequests, own, none, spec.Passed},
		"for named requests only":             {configForAllRequests, func(c config) bool { return len(c.Requests) > 0 }, none, spec.Failed},
		"never applied":                       {configForAllRequests, none, none, spec.NotApplicable},
		"strict, others left alone":           {configForOtherDriver, none, func(c config) bool { return own(c) && unknownKind(c) }, spec.Passed},
		"strict, others looked at":            {configForOtherDriver, none, unknownKind, spec.Failed},
		"lenient, others left alone":          {configForOtherDriver, own, none, spec.Passed},
		"lenient, others applied":             {configForOtherDriver, all, none, spec.Failed},
		"lenient, and nothing is ever to see": {configForOtherDriver, none, none, spec.NotApplicable},
	} {
		t.Run(name, func(t *testing.T) {
			w := configured(row.applies, row.refuses).served(t, devices("a")...)
			w.ValidConfig = []json.RawMessage{json.RawMessage(`{"good":1}`)}
			did(t, w, row.check, row.want, "")
		})
	}
}
