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

package api

import (
	"slices"
	"testing"
)

// Kubernetes 1.38 serves no v1beta1: the cases for all beta versions needed it, and nothing checked v1beta2 there.
func TestBetaVersionsAreCheckedWithoutV1beta1(t *testing.T) {
	for _, c := range Cases() {
		if slices.Contains(c.Needs.APIs, "v1beta1") {
			t.Errorf("case %s does not run on 1.38", c.ID)
		}
	}
	for _, tc := range []struct{ served, want []string }{
		{[]string{"v1", "v1beta2"}, []string{"v1beta2"}},
		{[]string{"v1", "v1beta2", "v1beta1", "v1alpha3"}, []string{"v1beta2", "v1beta1"}},
	} {
		if got := betas(tc.served); !slices.Equal(got, tc.want) {
			t.Errorf("got %v, want %v", got, tc.want)
		}
	}
}
