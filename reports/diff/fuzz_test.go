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

package diff_test

import (
	"cmp"
	"encoding/json"
	"slices"
	"testing"

	"github.com/dra-conformance/dratest/reports/diff"
)

// FuzzFields checks that values without differences are equal, apart from the order of lists and from null, and that
// the direction of a comparison does not matter.
func FuzzFields(f *testing.F) {
	f.Add([]byte(`{"cases":[{"id":"a","v":1},{"id":"b"}]}`), []byte(`{"cases":[{"id":"b"},{"id":"a","v":2}]}`))
	f.Add([]byte(`[{"id":"a"},{"id":"a"},null,3]`), []byte(`[{"name":"a","node":"n"},[],"0"]`))
	// The third item was keyed as "a, 2" and replaced the second one, so a change of the second was not reported.
	f.Add([]byte(`[{"id":"a"},{"id":"a, 2"},{"id":"a","v":1}]`), []byte(`[{"id":"a"},{"id":"a, 2","forged":true},{"id":"a","v":1}]`))
	f.Fuzz(func(t *testing.T, one, other []byte) {
		var a, b any
		if json.Unmarshal(one, &a) != nil || json.Unmarshal(other, &b) != nil {
			return
		}
		forth, err := diff.Fields(a, b)
		if err != nil {
			t.Fatal(err)
		}
		back, err := diff.Fields(b, a)
		if err != nil || len(forth) != len(back) {
			t.Errorf("%d differences, the other way round %d: %v", len(forth), len(back), err)
		}
		if len(forth) == 0 && canonical(t, a) != canonical(t, b) {
			t.Errorf("%s and %s are said to be equal", one, other)
		}
	})
}

// canonical encodes a value without null, and with sorted lists.
func canonical(t *testing.T, value any) string {
	t.Helper()
	data, err := json.Marshal(sorted(t, value))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func sorted(t *testing.T, value any) any {
	t.Helper()
	switch v := value.(type) {
	case map[string]any:
		out := map[string]any{}
		for key, each := range v {
			if each != nil {
				out[key] = sorted(t, each)
			}
		}
		return out
	case []any:
		out := []any{}
		for _, each := range v {
			if each != nil {
				out = append(out, sorted(t, each))
			}
		}
		slices.SortFunc(out, func(a, b any) int { return cmp.Compare(canonical(t, a), canonical(t, b)) })
		return out
	}
	return value
}
