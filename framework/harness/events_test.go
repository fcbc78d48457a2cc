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

package harness

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestEventsAreToldInOrder(t *testing.T) {
	noon := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	f := newFake(t, event("b", "Second", "two", noon.Add(time.Second)), event("a", "First", "one", noon))
	if diff := cmp.Diff([]string{"First: one", "Second: two"}, f.Events("pod")); diff != "" {
		t.Error(diff)
	}
}

// A repeated event is one object with a count.
func TestWaitEventTimes(t *testing.T) {
	twice := event("a", "Failed", "no coffee", time.Now())
	twice.Count = 2
	f := newFake(t, twice, event("b", "Failed", "no tea", time.Now()))
	succeeds(t, f, func() { f.WaitEventTimes("pod", "Failed", "no", 3) })
	failed := failureOf(func() { f.WaitEventTimes("pod", "Failed", "no coffee", 3) })
	if failed == nil || !strings.Contains(failed.message, `"no coffee", 3 times`) {
		t.Errorf("got %v", failed)
	}
}
