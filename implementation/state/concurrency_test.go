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

package state

import (
	"fmt"
	"sync"
	"testing"
)

// For -race: concurrent writers and readers. At the end everything is free again.
func TestConcurrentUse(t *testing.T) {
	s := New()
	var group sync.WaitGroup
	for worker := range 4 {
		group.Go(func() {
			for i := range 100 {
				uid := fmt.Sprint("c", worker, "-", i)
				pool := fmt.Sprint("p", worker)
				if err := s.Assume(s.Snapshot(), claimAt(uid, 1, whole(pool, "d1"))); err != nil {
					t.Error(err)
				}
				if got := use(s.Snapshot(), pool, "d1"); got != "whole" {
					t.Errorf("an assumed device is %s", got)
				}
				s.Confirm(claimAt(uid, 2, whole(pool, "d1")))
				s.Delete(claimAt(uid, 2).UID)
			}
		})
	}
	group.Wait()
	if left := flatten(s.Snapshot()); len(left) != 0 || len(s.holders) != 0 {
		t.Errorf("left are %v", left)
	}
}
