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

package mutants

import (
	"regexp"
	"strings"
	"testing"
)

// "dratest prove bugs" proves the detection of each bug.
func TestMutantsAreTold(t *testing.T) {
	issue := regexp.MustCompile(`^([\w-]+/[\w-]+#\d+)?$`)
	names := map[string]bool{}
	for _, m := range All() {
		if names[m.ID] || !strings.HasSuffix(m.What, ".") || !issue.MatchString(m.Issue) || m.Check == "" && len(m.Cases) == 0 {
			t.Errorf("bug %s is there twice, or not told: %q, %q, %q", m.ID, m.What, m.Issue, m.Check)
		}
		names[m.ID] = true
		if found, err := Find(m.ID); err != nil || found.What != m.What {
			t.Errorf("find %s: %v", m.ID, err)
		}
	}
	if _, err := Find("odd"); err == nil || !strings.Contains(err.Error(), "restored-prepare") {
		t.Errorf("an unknown bug: %v", err)
	}
}
