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

package issues_test

import (
	"testing"

	"github.com/dra-conformance/dratest/framework/fuzztest"
	"github.com/dra-conformance/dratest/framework/issues"
)

// FuzzParse checks that accepted rows are valid and survive a round trip.
func FuzzParse(f *testing.F) {
	if data, err := issues.Render(issues.All()[:2]); err != nil {
		f.Error(err)
	} else {
		f.Add(data)
	}
	f.Add([]byte("- id: a\n  issue: b\n  versions: &a [{from: '1.36'}]\n- {id: a, versions: *a}\n"))
	f.Add([]byte("- null\n- <<: {id: a}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		all, err := issues.Parse(data)
		if err != nil {
			return
		}
		for _, issue := range all {
			if err := issue.Validate(); err != nil {
				t.Error(err)
			}
		}
		fuzztest.RoundTrip(t, all, issues.Render, issues.Parse)
	})
}
