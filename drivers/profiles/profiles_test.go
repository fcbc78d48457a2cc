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

package profiles

import (
	"testing"

	"github.com/dra-conformance/dratest/framework/spec"
)

func TestProfiles(t *testing.T) {
	tests := []struct {
		make    func() spec.Profile
		devices int
	}{{func() spec.Profile { return ReportingHealth(TwoDevices(), "device-1") }, 2}, {Empty, 0}, {OneDevice, 1}, {TwoDevices, 2}, {FourDevices, 4}, {TwoModels, 4}}
	names := map[string]bool{}
	for _, test := range tests {
		profile := test.make()
		t.Run(profile.Name, func(t *testing.T) {
			if err := profile.Validate(); err != nil {
				t.Error(err)
			}
			if got := len(profile.Pools[0].Devices); got != test.devices {
				t.Errorf("%d devices, want %d", got, test.devices)
			}
			if names[profile.Name] {
				t.Error("the name is used twice")
			}
			names[profile.Name] = true
			// Callers may change the result.
			profile.Pools[0].Suffix = "changed"
			if test.make().Pools[0].Suffix != "" {
				t.Error("the value is shared")
			}
		})
	}
}

func TestTwoModels(t *testing.T) {
	for i, device := range TwoModels().Pools[0].Devices {
		if got, want := *device.Attributes[Model].StringValue, []string{"a", "a", "b", "b"}[i]; got != want {
			t.Errorf("%s is of model %s, want %s", device.Name, got, want)
		}
	}
}
