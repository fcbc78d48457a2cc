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
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReport(t *testing.T) {
	same := []answer{{name: "configz", compared: 99}, {name: "metrics", compared: 12}}
	for _, row := range []struct {
		name    string
		answers []answer
		calls   rest
		want    string
	}{
		{"same", same, rest{}, "kubelets: configz=same metrics=12 values same, API calls at rest=0 (stock 0)\n"},
		{"different", []answer{{name: "flagz", compared: 3, differences: []string{"line"}}}, rest{}, "line\nkubelets: flagz=1 different, API calls at rest=0 (stock 0)\n"},
		{"own asks", same[:1], rest{stock: 1, own: 2}, rest{stock: 1, own: 2}.differences()[0] + "\nkubelets: configz=same, API calls at rest=2 (stock 1)\n"},
		{"stock asks", same[:1], rest{stock: 1}, "kubelets: configz=same, API calls at rest=0 (stock 1)\n"},
	} {
		t.Run(row.name, func(t *testing.T) {
			var out strings.Builder
			ok := report(&out, row.answers, row.calls)
			if diff := cmp.Diff(row.want, out.String()); diff != "" {
				t.Errorf("want -, got +:\n%s", diff)
			}
			if want := strings.Count(row.want, "\n") == 1; ok != want {
				t.Errorf("same is %t", ok)
			}
		})
	}
}
