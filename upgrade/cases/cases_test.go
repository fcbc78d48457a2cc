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

package cases

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/suites/requirements"
)

func TestCasesAreValid(t *testing.T) {
	known, err := requirements.Load()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, c := range All() {
		if err := c.Validate(); err != nil {
			t.Error(err)
		}
		if seen[c.ID] || c.Area() != "upgrade" {
			t.Errorf("case %s is there twice, or not named upgrade/…", c.ID)
		}
		seen[c.ID] = true
		for _, id := range c.Requires {
			if !slices.ContainsFunc(known, func(r spec.Requirement) bool { return r.ID == id }) {
				t.Errorf("case %s: there is no requirement %s", c.ID, id)
			}
		}
	}
	if (Case{}).Validate() == nil {
		t.Error("an empty case is valid")
	}
}

// A run paused before the first round of a case panicked when it continued, and so did a case with a pod but without a
// claim.
func TestNotesThatWereOnDisk(t *testing.T) {
	text, err := json.Marshal(Notes{Rounds: map[string]int{}, Pods: map[string]Pod{"stays": {}}, Claims: map[string]Claim{}})
	if err != nil {
		t.Fatal(err)
	}
	var n Notes
	if err := json.Unmarshal(text, &n); err != nil {
		t.Fatal(err)
	}
	if first, second := n.next("node"), n.next("node"); first != 1 || second != 2 {
		t.Errorf("got %d, then %d", first, second)
	}
	n.open()
	n.Claims["moves"] = Claim{}
	if len(n.Pods) != 1 {
		t.Errorf("pods %v", n.Pods)
	}
}
