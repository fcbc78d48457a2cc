package state

import (
	"sync"
	"sync/atomic"
	"testing"
)

// The lock's file is removed with its folder while others may have it open.
func TestLockIsHeldByOneAtATime(t *testing.T) {
	s := Store[struct{}]{Dir: t.TempDir()}
	var holders, got atomic.Int32
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 200 {
				release, err := s.Lock("x")
				if err != nil {
					continue
				}
				if n := holders.Add(1); n != 1 {
					t.Errorf("%d holders", n)
				}
				got.Add(1)
				holders.Add(-1)
				release()
			}
		})
	}
	wg.Wait()
	if got.Load() == 0 {
		t.Error("nobody ever got the lock")
	}
}
