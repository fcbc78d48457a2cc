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

package run

import (
	"context"
	"os"
)

// interruptible returns a context cancelled by the first signal, and a channel with a value for each further one.
// stop stops watching.
func interruptible(ctx context.Context, signals <-chan os.Signal) (_ context.Context, again <-chan struct{}, stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	further := make(chan struct{}, 1)
	done := make(chan struct{})
	go func() {
		first := true
		for {
			select {
			case <-done:
				return
			case <-signals:
				cancel()
				if first {
					first = false
					continue
				}
				select {
				case further <- struct{}{}:
				default: // one is waiting to be noticed already
				}
			}
		}
	}()
	return ctx, further, func() { cancel(); close(done) }
}
