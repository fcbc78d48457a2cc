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

package cases

import (
	"slices"
	"testing"

	"github.com/dra-conformance/dratest/framework/spec"
)

// Kubernetes 1.38 serves no v1beta1: after an upgrade to it the cases read objects as v1beta1, and failed.
func TestVersionsOfAnUpgradeTo138(t *testing.T) {
	all := []string{"v1", "v1beta2", "v1beta1", "v1alpha3"}
	for _, tc := range []struct {
		kubernetes   string
		served, want []string
	}{
		{"v1.37.1", all, []string{"v1beta1", "v1beta2", "v1"}},
		{"v1.37.1", []string{"v1", "v1beta2"}, []string{"v1beta2", "v1"}},
		{"v1.38.0-beta.0", all, []string{"v1beta2", "v1"}},
		{"v1.38.0", []string{"v1", "v1beta2"}, []string{"v1beta2", "v1"}},
	} {
		if got := versions(spec.Target{Kubernetes: tc.kubernetes, ResourceAPIs: tc.served}); !slices.Equal(got, tc.want) {
			t.Errorf("%s serving %v: got %v, want %v", tc.kubernetes, tc.served, got, tc.want)
		}
	}
}
