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
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dra-conformance/dratest/framework/issues"
)

const row = `- id: kubernetes#1
  component: kubelet
  through: "1.37"
  review: "2027-01-31"
  does: It does not.
`

// A recorded review must change nothing else in the file.
func TestFileIsAsRendered(t *testing.T) {
	want, err := issues.Render(issues.All())
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("issues.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Error(diff)
	}
}

func TestParse(t *testing.T) {
	all, err := issues.Parse([]byte(row))
	if err != nil || len(all) != 1 || all[0].Issue != "kubernetes#1" {
		t.Errorf("got %+v, %v", all, err)
	}
	for want, data := range map[string]string{
		"line 6: field patch not found":               row + "  patch: 1\n",
		`known issue "kubernetes#1" has two rows`:     row + row,
		"known issue 2 has no id":                     row + "- component: kubelet\n",
		`known issue "kubernetes#1": a known issue m`: strings.Replace(row, `"1.37"`, "v1.37", 1),
		"must be one document":                        row + "---\n" + row,
		`date "" of the review of v1.38.0`:            row + "  reviews:\n    - version: v1.38.0\n      result: closed\n",
		// It was saved halfway, or is another file.
		"there are no known issues": "",
	} {
		if _, err := issues.Parse([]byte(data)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func TestUnknownIssuePanics(t *testing.T) {
	defer func() {
		if got := recover(); got != `known issue "kubernetes#0" is not in issues.yaml` {
			t.Errorf("got %v", got)
		}
	}()
	issues.Known("kubernetes#0")
}
