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

package undertest

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dra-conformance/dratest/framework/spec"
)

func TestWhatCallsTell(t *testing.T) {
	claims := func(err string) []spec.ClaimCall { return []spec.ClaimCall{{Namespace: "ns", Name: "c", Error: err}} }
	for _, tc := range []struct {
		name   string
		call   spec.Call
		errors []string
		killed bool
	}{
		{"answered", spec.Call{Claims: claims("")}, []string{}, false},
		{"error for a claim", spec.Call{Claims: claims("in use")}, []string{"claim ns/c: in use"}, false},
		{"error for the call", spec.Call{Error: "lost", Claims: claims("")}, []string{"lost"}, false},
		{"killed", spec.Call{Error: "Unavailable: " + spec.KilledAfterAnswer, Claims: claims("")}, []string{"Unavailable: " + spec.KilledAfterAnswer}, true},
	} {
		calls := []spec.Call{{Claims: claims("")}, tc.call}
		if d := cmp.Diff(tc.errors, errorsIn(calls)); d != "" {
			t.Errorf("%s: errors: %s", tc.name, d)
		}
		if got := killedAfter(calls); got != tc.killed {
			t.Errorf("%s: killed is %t", tc.name, got)
		}
	}
}
