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

package certify_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dra-conformance/dratest/clusters/versions"
	"github.com/dra-conformance/dratest/framework/certify"
)

func TestVersionRange(t *testing.T) {
	for text, want := range map[string]string{
		"1.36": "v1.36", "1.36..v1.38.0-beta.0": "v1.36 v1.37 v1.38", "1.34..1.36": "v1.34 v1.35 v1.36", "v1.35..v1.37, 1.37": "v1.35 v1.36 v1.37", "1.37,1.34": "v1.37 v1.34", "1.36..1.36": "v1.36",
		"1.37..1.34": "--versions: 1.37 is newer than 1.34", "1.2": "1.2", "": "--versions", "1.36..": "--versions",
	} {
		found, err := certify.VersionRange(text, versions.Lookup)
		if err != nil {
			if !strings.Contains(err.Error(), want) || strings.HasPrefix(want, "v") {
				t.Errorf("%q: %v, want %q", text, err, want)
			}
			continue
		}
		var minors []string
		for _, v := range found {
			minors = append(minors, v.Minor())
		}
		if d := cmp.Diff(want, strings.Join(minors, " ")); d != "" {
			t.Errorf("%q: %s", text, d)
		}
	}
}
