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

package nodeplan

import "time"

// notFound tracks NOT_FOUND answers of a driver. KEP-4381, "NodePrepareResource Errors", requires
// verifying the claim before retrying with exponential backoff.
type notFound struct {
	// alone makes the next calls for this claim only: NOT_FOUND for several claims does not
	// identify the unknown one.
	alone bool
	// lookUp requires looking up the claim before the next call.
	lookUp bool
	// op is the failed call.
	op Op
	// answers counts NOT_FOUND since the last success.
	answers int
	// verified is when the claim was found, cause the driver's error.
	verified time.Time
	cause    error
}

// Backoff is the delay after NOT_FOUND: First, then doubled each time, at most Max.
type Backoff struct{ First, Max time.Duration }

func (b Backoff) after(answers int) time.Duration {
	wait := b.First
	for range answers - 1 {
		if wait >= b.Max {
			break
		}
		wait *= 2
	}
	return min(wait, b.Max)
}

// until returns when the next call is due, zero if now. Setting the clock back does not extend the
// wait.
func (n notFound) until(b Backoff, now time.Time) time.Time {
	due := n.verified.Add(b.after(n.answers))
	if n.answers == 0 || now.Before(n.verified) || !now.Before(due) {
		return time.Time{}
	}
	return due
}
