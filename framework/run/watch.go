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
	"time"
)

const (
	// watchInterval is the interval of checks for the cluster's availability.
	watchInterval = 10 * time.Second
	// watchPatience is the tolerated unavailability: longer than a restart of the API server, possibly caused by a case.
	watchPatience = time.Minute
)

// watch calls check regularly and returns a channel that gets the last error after watchPatience of errors: otherwise
// a run without its cluster would continue until its timeout.
func watch(ctx context.Context, check func(context.Context) error) <-chan error {
	gone := make(chan error, 1)
	go func() {
		ticker := time.NewTicker(watchInterval)
		defer ticker.Stop()
		last := time.Now()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
			err := check(ctx)
			switch {
			case err == nil:
				last = time.Now()
			case ctx.Err() == nil && time.Since(last) >= watchPatience:
				gone <- err
				return
			}
		}
	}()
	return gone
}
