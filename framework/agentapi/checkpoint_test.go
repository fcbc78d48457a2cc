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

package agentapi

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPreparedIn(t *testing.T) {
	for text, want := range map[string][]PreparedClaim{
		"":              nil,
		`{"Data":"{}"}`: nil,
		`{"Data":"{\"ClaimInfoStateList\":[{\"ClaimUID\":\"1\",\"ClaimName\":\"c\",\"Namespace\":\"ns\",\"PodUIDs\":{}}]}","Checksum":1}`: {{"1", "c", "ns"}},
	} {
		if got, err := PreparedIn([]byte(text)); err != nil || !cmp.Equal(got, want) {
			t.Errorf("%s: got %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"{", `{"Data":"["}`, `{}`} {
		if got, err := PreparedIn([]byte(text)); err == nil {
			t.Errorf("%s: got %v", text, got)
		}
	}
}
