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
	"sync"
	"sync/atomic"
	"testing"
)

// The lock's file is removed with its directory while others may have it open.
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
