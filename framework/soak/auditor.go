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

package soak

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/dra-conformance/dratest/framework/audit"
)

// lookEvery is the polling interval under load for state outside of the API.
const lookEvery = time.Second

// Auditor audits outside state together with API objects.
type Auditor[W any] struct {
	// What describes it for people.
	What string
	// Objects are those of the API.
	Objects *Watcher
	// Read reads the input of the rules: claims first, so two reads with equal claims have seen the rest in between.
	// answered is false if it did not answer without this being an error.
	Read func(ctx context.Context) (seen W, answered bool, err error)
	// Always are the rules valid at every moment, AtRest those valid without pods.
	Always, AtRest func(W) []audit.Violation
}

// Run audits until ctx ends.
func (a *Auditor[W]) Run(ctx context.Context) {
	wait.UntilWithContext(ctx, func(ctx context.Context) {
		if _, _, err := a.Look(ctx, a.Always); err != nil && ctx.Err() == nil {
			a.Objects.findings.problem("%v", err)
		}
	}, lookEvery)
}

// Look adds the violations confirmed by two reads without a change in between, and counts the read, even without new
// ones. clean reports an answered read without any violation.
func (a *Auditor[W]) Look(ctx context.Context, check func(W) []audit.Violation) (found int, clean bool, err error) {
	seen, answered, err := a.Read(ctx)
	if err != nil || !answered {
		return 0, false, err
	}
	first := check(seen)
	if len(first) == 0 {
		return 0, true, nil
	}
	seen, answered, err = a.Read(ctx)
	if err != nil || !answered {
		return 0, false, err
	}
	confirmed := audit.Confirm(first, check(seen))
	a.Objects.findings.add(confirmed)
	return len(confirmed), false, nil
}

// Settle waits until no rule for the state without pods is violated, and adds the violations left after patience.
func (a *Auditor[W]) Settle(ctx context.Context, patience time.Duration) error {
	check := func(seen W) []audit.Violation { return append(a.Always(seen), a.AtRest(seen)...) }
	// The error does not matter: the final state is read again below.
	_ = wait.PollUntilContextTimeout(ctx, time.Second, patience, true, func(ctx context.Context) (bool, error) {
		seen, answered, err := a.Read(ctx)
		return err == nil && answered && len(check(seen)) == 0, nil
	})
	for range attempts {
		found, clean, err := a.Look(ctx, check)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil || clean || found > 0 {
			return err
		}
	}
	return fmt.Errorf("%s still changes, or does not answer, %s after the last pod has gone", a.What, patience)
}
