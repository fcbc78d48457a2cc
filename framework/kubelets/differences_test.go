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

package kubelets

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDifferences(t *testing.T) {
	for _, row := range []struct {
		name, stock, own string
		want             []string
	}{
		{"same", `{"a":{"b":[1,"x"]},"c":null}`, `{"c":null,"a":{"b":[1,"x"]}}`, nil},
		{"another value", `{"a":{"b":1}}`, `{"a":{"b":2}}`, []string{"z.a.b: stock 1, own 2: m"}},
		{"another type", `{"a":1}`, `{"a":"1"}`, []string{`z.a: stock 1, own "1": m`}},
		{"only stock", `{"a":1,"b":2}`, `{"a":1}`, []string{"z.b: stock 2, own says nothing: m"}},
		{"only own", `{}`, `{"a":1}`, []string{"z: stock {}, own says nothing: m", "z.a: stock says nothing, own 1: m"}},
		{"empty is not missing", `{"a":1,"b":[]}`, `{"a":1}`, []string{"z.b: stock [], own says nothing: m"}},
		{"longer list", `{"a":[1]}`, `{"a":[1,2]}`, []string{"z.a[1]: stock says nothing, own 2: m"}},
		{"order of a list", `[1,2]`, `[2,1]`, []string{"z[0]: stock 1, own 2: m", "z[1]: stock 2, own 1: m"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			stock, err := factsOf("z", []byte(row.stock))
			if err != nil {
				t.Fatal(err)
			}
			own, err := factsOf("z", []byte(row.own))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(row.want, differences(stock, own, "m")); diff != "" {
				t.Errorf("want -, got +:\n%s", diff)
			}
		})
	}
}

func TestWhatIsNoJSONIsRefused(t *testing.T) {
	if f, err := factsOf("configz", []byte("404 page not found")); err == nil {
		t.Errorf("no error, but %v", f)
	}
}
