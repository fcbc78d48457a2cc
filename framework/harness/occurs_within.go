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

package harness

import (
	"context"
	"fmt"
	"time"

	"github.com/onsi/ginkgo/v2"

	"github.com/dra-conformance/dratest/framework/harness/await"
)

// OccursWithin waits for the right behavior and returns whether it came before the limit: a case with a
// known issue must not mistake a delay for the issue. The limit is the time that the right behavior
// would get. Errors end the case if they persist or the last look failed.
func (t *T) OccursWithin(limit time.Duration, what string, look func(ctx context.Context) (ok bool, seen string, err error)) bool {
	ginkgo.GinkgoHelper()
	came, _ := t.within(limit, fmt.Sprintf("%s, for up to %s", what, limit), look)
	return came
}

// Never ends the case if look returns true before the limit.
func (t *T) Never(limit time.Duration, what string, look func(ctx context.Context) (seen bool, got string, err error)) {
	ginkgo.GinkgoHelper()
	if came, got := t.within(limit, fmt.Sprintf("%s to pass without any %s", limit, what), look); came {
		t.Fatalf("expected no %s within %s, got: %s", what, limit, got)
	}
}

func (t *T) within(limit time.Duration, what string, look func(ctx context.Context) (bool, string, error)) (came bool, last string) {
	ginkgo.GinkgoHelper()
	last = "nothing"
	t.Await(what, "", func(ctx context.Context, saw func(string)) error {
		limited, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		looked := false
		err := await.Until(limited, func(limited context.Context) (bool, error) {
			ok, seen, err := t.look(limited, look)
			if limited.Err() != nil && err != nil {
				return false, err // the limit ended this look
			}
			if looked = err == nil; looked {
				came, last = ok, seen
				saw(seen)
			}
			return ok, err
		})
		if !came && (!looked || ctx.Err() != nil) {
			return err
		}
		if !came {
			saw(fmt.Sprintf("not within %s: %s", limit, last))
		}
		return nil
	})
	return came, last
}
