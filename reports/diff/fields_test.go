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
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dra-conformance/dratest/reports/diff"
)

type item struct {
	ID   string `json:"id"`
	Node string `json:"node,omitempty"`
	N    int    `json:"n"`
}

func TestFields(t *testing.T) {
	type doc struct {
		Name  string            `json:"name,omitempty"`
		Items []item            `json:"items,omitempty"`
		Plain []string          `json:"plain,omitempty"`
		Gates map[string]bool   `json:"gates,omitempty"`
		More  map[string]string `json:"more,omitempty"`
	}
	for name, tc := range map[string]struct {
		a, b doc
		want []diff.Field
	}{
		"same":           {doc{Name: "x"}, doc{Name: "x"}, nil},
		"value":          {doc{Name: "x"}, doc{Name: "y"}, []diff.Field{{"name", `"x"`, `"y"`}}},
		"gone":           {doc{Name: "x"}, doc{}, []diff.Field{{"name", `"x"`, ""}}},
		"item":           {doc{Items: []item{{ID: "a", N: 1}}}, doc{Items: []item{{ID: "b"}, {ID: "a", N: 2}}}, []diff.Field{{"items[a].n", "1", "2"}, {"items[b]", "", `{"id":"b","n":0}`}}},
		"replicas":       {doc{Items: []item{{ID: "a", Node: "x"}, {ID: "a", Node: "y"}}}, doc{Items: []item{{ID: "a", Node: "y"}, {ID: "a", Node: "x", N: 1}}}, []diff.Field{{"items[a on x].n", "0", "1"}}},
		"same id":        {doc{Items: []item{{ID: "a"}, {ID: "a"}}}, doc{Items: []item{{ID: "a"}}}, []diff.Field{{"items[a, 1]", `{"id":"a","n":0}`, ""}}},
		"position":       {doc{Plain: []string{"a", "b"}}, doc{Plain: []string{"a", "c"}}, []diff.Field{{"plain[1]", `"b"`, `"c"`}}},
		"map":            {doc{Gates: map[string]bool{"X": true}}, doc{Gates: map[string]bool{"X": false, "Y": true}}, []diff.Field{{"gates.X", "true", "false"}, {"gates.Y", "", "true"}}},
		"nothing at all": {doc{}, doc{}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := diff.Fields(tc.a, tc.b)
			if d := cmp.Diff(tc.want, got); err != nil || d != "" {
				t.Errorf("%v\n%s", err, d)
			}
		})
	}
}

// Each of many items of one name tried all numbers taken before: a report of 1 MB took a minute to verify.
func TestManyItemsOfOneName(t *testing.T) {
	const count = 100_000
	list := make([]item, count)
	for i := range list {
		list[i].ID = "a"
		if i < count/2 {
			list[i].ID = fmt.Sprintf("a, %d", count/2+i)
		}
	}
	other := append([]item{}, list...)
	other[count-1].N = 1
	got, err := diff.Fields(map[string]any{"items": list}, map[string]any{"items": other})
	if err != nil || len(got) != 1 {
		t.Errorf("%d differences, error %v", len(got), err)
	}
}
