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
	"testing"
)

// benchState has 5000 pools of 8 devices, half of them in use.
func benchState() *State {
	s := New()
	for pool := range 5000 {
		for device := range 4 {
			s.Set(claimAt(fmt.Sprint("c", pool, "-", device), 1, whole(fmt.Sprint("p", pool), fmt.Sprint("d", device))))
		}
	}
	s.Snapshot()
	return s
}

func BenchmarkSnapshotAfterOneChange(b *testing.B) {
	s := benchState()
	claim := claimAt("new", 1, whole("p17", "d7"))
	b.ReportAllocs()
	taken := false
	for b.Loop() {
		if taken = !taken; taken {
			if err := s.Assume(s.Snapshot(), claim); err != nil {
				b.Fatal(err)
			}
		} else {
			s.Forget(claim.UID)
		}
		if s.Snapshot().Pool(poolID("p17")).Device("d7").Whole != taken {
			b.Fatal("the snapshot is wrong")
		}
	}
}

func BenchmarkSnapshotUnchanged(b *testing.B) {
	s := benchState()
	first := s.Snapshot()
	b.ReportAllocs()
	for b.Loop() {
		if s.Snapshot() != first {
			b.Fatal("the snapshot has changed")
		}
	}
}
