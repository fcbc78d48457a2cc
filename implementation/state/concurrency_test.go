package state

import (
	"fmt"
	"sync"
	"testing"
)

// Run with -race: writers and readers at the same time, and in the end everything
// is free again.
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
