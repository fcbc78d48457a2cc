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
	"testing"

	"github.com/dra-conformance/dratest/framework/spec"
)

func TestNeedsCase(t *testing.T) {
	for name, row := range map[string]struct {
		r    spec.Requirement
		want bool
	}{
		"must":           {spec.Requirement{Level: spec.Must}, true},
		"should":         {spec.Requirement{Level: spec.Should}, false},
		"may":            {spec.Requirement{Level: spec.May}, false},
		"not observable": {spec.Requirement{Level: spec.Must, NotObservable: "x.go:1"}, false},
		"not in v1":      {spec.Requirement{Level: spec.Must, Area: "old"}, false},
	} {
		if got := row.r.NeedsCase(); got != row.want {
			t.Errorf("%s: got %v, want %v", name, got, row.want)
		}
	}
}
