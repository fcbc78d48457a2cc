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

package corpus

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestJudge(t *testing.T) {
	bugs := []Bug{
		{ID: "kubernetes#1", Also: []string{"kubernetes#2"}, What: "First.", Component: Driver},
		{ID: "kubernetes#3", What: "Second.", Component: Driver},
		{ID: "kubernetes#4", What: "Third.", Component: Driver, Missed: "It is a race."},
		{ID: "a/b#5", What: "Fourth.", Component: Tool},
		{ID: "a/b#6", What: "Fifth.", Component: Tool, NotApplicable: "It is about an option."},
	}
	var out strings.Builder
	Print(&out, Judge(bugs, []Evidence{
		{Issues: []string{"kubernetes#1"}, What: "mutant-a"},
		{Issues: []string{"a/b#1", "kubernetes/kubernetes#2"}, What: "mutant-b", By: []string{"core/x", "core/y"}},
		{Issues: []string{"kubernetes#3"}, What: "mutant-c"},
	}))
	want := `detected driver kubernetes#1: First.
         mutant-b by core/x, core/y
missed   driver kubernetes#3: Second.
         mutant-c
missed   driver kubernetes#4: Third.
         It is a race.
not yet  tool a/b#5: Fourth.
not applicable tool a/b#6: Fifth.
         It is about an option.
corpus: detected=1 missed=2 not-yet=1 not-applicable=1 total=5
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// A tool's repository of the same organization lost its organization, and its bug's trial was not found.
func TestJudgeFindsToolsOfKubernetes(t *testing.T) {
	verdicts := Judge([]Bug{{ID: "kubernetes/autoscaler#1"}}, []Evidence{{Issues: []string{"kubernetes/autoscaler#1"}, What: "mutant", By: []string{"whatif/x"}}})
	if verdicts[0].State != Detected {
		t.Errorf("got %+v", verdicts)
	}
}
