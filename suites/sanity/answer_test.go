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
	"testing"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/spec"
)

// An answer without devices does not prove anything about devices.
func TestDevicesInAnswer(t *testing.T) {
	for _, row := range []struct {
		check Check
		edit  func(*Answer)
		want  spec.Status
		text  string
	}{
		{answerNamesDevices, func(*Answer) {}, spec.Passed, ""},
		{answerNamesDevices, func(a *Answer) { a.Devices = nil }, spec.NotApplicable, "returns no devices"},
		{answerNamesDevices, func(a *Answer) { a.Devices = a.Devices[:1] }, spec.Failed, `device "b" of pool "p"`},
		{cdiNames, func(a *Answer) { a.Devices[0].CdiDeviceIds = []string{"d.example.com/class=a"} }, spec.Passed, ""},
		{cdiNames, func(a *Answer) { a.Devices[0].CdiDeviceIds = []string{"a"} }, spec.Failed, "no fully qualified name"},
		{cdiNames, func(*Answer) {}, spec.NotApplicable, "no CDI devices"},
	} {
		d := &testDriver{prepare: func(_ string, claim *resourceapi.ResourceClaim) (*Answer, error) {
			a := prepared(claim)
			row.edit(a)
			return a, nil
		}}
		did(t, d.served(t, devices("a", "b")...), row.check, row.want, row.text)
	}
}
