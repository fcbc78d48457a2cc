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

package inject

import (
	"slices"
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/framework/spec"
)

func TestFault(t *testing.T) {
	for kind, tc := range map[spec.FaultKind]struct{ has, lacks []string }{
		"": {has: []string{"claim_my_gpus_two=device-2,device-1", "user_a=b", "admin_a=class"}},
		spec.FaultOtherDevice: {
			has:   []string{"claim_my_gpus_two=not-device-2,not-device-1", "pool_my_gpus_two=node,node-b", "user_a=b"},
			lacks: []string{"claim_my_gpus_two=device"},
		},
		spec.FaultNoParameters:    {has: []string{"claim_my_gpus_two=device-2,device-1", "dratest_driver=" + driver}, lacks: []string{"user_", "admin_"}},
		spec.FaultMixedParameters: {has: []string{"admin_a=b", "user_a=class", "user_mode=fast"}, lacks: []string{"user_a=b", "admin_a=class"}},
	} {
		broken, _, err := Claim(driver, claim())
		if err != nil {
			t.Fatal(err)
		}
		Fault(broken, kind)
		for _, device := range broken.Devices[1:] { // those of request two
			env := device.ContainerEdits.Env
			for _, want := range tc.has {
				if !slices.Contains(env, want) {
					t.Errorf("%s: no %s in %q", kind, want, env)
				}
			}
			for _, bad := range tc.lacks {
				if slices.ContainsFunc(env, func(line string) bool { return strings.HasPrefix(line, bad) }) {
					t.Errorf("%s: %s in %q", kind, bad, env)
				}
			}
		}
	}
}
