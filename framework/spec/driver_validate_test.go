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

package spec

import (
	"strings"
	"testing"

	resourceapi "k8s.io/api/resource/v1"
)

func TestDriverConfigValidate(t *testing.T) {
	twin := resourceapi.Device{Name: "d"}
	tests := []struct {
		name   string
		config DriverConfig
		want   []string
	}{
		{"good", DriverConfig{Name: "a-1.example.com", GRPC: []GRPCVersion{GRPCv1}}, nil},
		{"digit", DriverConfig{Name: "1.example.com"}, []string{"starting with a letter"}},
		{"capital", DriverConfig{Name: "A.example.com"}, []string{"DNS subdomain"}},
		{"mutant", DriverConfig{Name: "a", Mutant: MutantNoOwner}, nil},
		{"odd mutant", DriverConfig{Name: "a", Mutant: "Odd"}, []string{`unknown "Odd"`}},
		{"long", DriverConfig{Name: strings.Repeat("a", 64)}, []string{"63 characters"}},
		{"several", DriverConfig{GRPC: []GRPCVersion{"v2"}, Profile: Profile{Pools: []Pool{{}, {}}}},
			[]string{"DNS subdomain", `"v2"`, "two pools"}},
		{"twins", DriverConfig{Name: "a", Profile: Profile{Pools: []Pool{{Devices: []resourceapi.Device{twin, twin}}}}},
			[]string{`two devices named "d"`}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := test.config.Validate()
			if (err == nil) != (len(test.want) == 0) {
				t.Fatalf("got %v", err)
			}
			for _, part := range test.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q does not say %q", err, part)
				}
			}
		})
	}
}
