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

package monitor

import (
	"net/http"
	"sync/atomic"
	"syscall"
	"time"
)

// counter counts requests.
type counter struct {
	requests *atomic.Int64
	next     http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (c counter) RoundTrip(r *http.Request) (*http.Response, error) {
	c.requests.Add(1)
	return c.next.RoundTrip(r)
}

// cpuTime is the CPU time of this process and its ended children.
func cpuTime() time.Duration {
	var all time.Duration
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var usage syscall.Rusage
		if syscall.Getrusage(who, &usage) == nil {
			all += time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
		}
	}
	return all
}
