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

package spec_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dra-conformance/dratest/framework/spec"
)

// Companions are encoded as fields, like other needs.
func TestCompanionsAreFields(t *testing.T) {
	for want, needs := range map[string]spec.Needs{
		`{}`: {},
		`{"noKubelet":true,"composable":true,"whatIf":true}`: {NoKubelet: true, Companions: []spec.Companion{"composable", "whatIf"}},
		`{"composable":true}`:                                {Companions: []spec.Companion{"composable"}},
	} {
		data, err := json.Marshal(needs)
		if err != nil || string(data) != want {
			t.Errorf("got %s, %v, want %s", data, err, want)
		}
		var again spec.Needs
		if err := json.Unmarshal(data, &again); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(needs, again); diff != "" {
			t.Errorf("%s: %s", want, diff)
		}
	}
}

func TestFieldsThatAreFalseAreNoCompanions(t *testing.T) {
	var needs spec.Needs
	if err := json.Unmarshal([]byte(`{"noNode":false,"alone":true,"x":false}`), &needs); err != nil || !needs.Alone || len(needs.Companions) > 0 {
		t.Errorf("got %+v, %v", needs, err)
	}
}
