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

package main

import (
	"os"
	"testing"
	"testing/synctest"
	"time"
)

// timeout sends two signals. dratest took the second one for an abort and did not delete its cluster.
func TestSignalsThatComeTogetherAreOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, out := make(chan os.Signal), make(chan os.Signal, 8)
		go passOn(in, out)
		in <- os.Interrupt
		in <- os.Interrupt
		synctest.Wait()
		if len(out) != 1 {
			t.Errorf("%d signals were passed on of two that came together, want one", len(out))
		}
		time.Sleep(2 * together)
		in <- os.Interrupt
		synctest.Wait()
		if len(out) != 2 {
			t.Errorf("%d signals were passed on, want also the one that came later", len(out))
		}
		close(in)
	})
}
