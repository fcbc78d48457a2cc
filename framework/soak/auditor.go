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

// lookEvery is the time between two looks under load at what is beside the API's objects.
const lookEvery = time.Second

// Auditor audits what is outside, together with objects of the API.
type Auditor[W any] struct {
	// What it is, for people.
	What string
	// Objects are those of the API.
	Objects *Watcher
	// Read reads what the rules are about: claims first, so that two reads with the same
	// claims have seen the rest in between. It has not answered where that is no error.
	Read func(ctx context.Context) (seen W, answered bool, err error)
	// Always are the rules that hold at every moment, AtRest those that hold when no pod is
	// left.
	Always, AtRest func(W) []audit.Violation
}

// Run audits until ctx ends.
func (a *Auditor[W]) Run(ctx context.Context) {
	wait.UntilWithContext(ctx, func(ctx context.Context) {
		if _, _, err := a.Look(ctx, a.Always); err != nil && ctx.Err() == nil {
			a.Objects.ledger.problem("%v", err)
		}
	}, lookEvery)
}

// Look adds what two reads without a change between them violate, and counts it, whether that
// is new or not. clean is whether it has answered and nothing was violated at all.
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
	a.Objects.ledger.add(confirmed)
	return len(confirmed), false, nil
}

// Settle waits until nothing that has to hold when no pod is left is violated, and adds
// what is after patience.
func (a *Auditor[W]) Settle(ctx context.Context, patience time.Duration) error {
	check := func(seen W) []audit.Violation { return append(a.Always(seen), a.AtRest(seen)...) }
	// How this ends makes no difference: what counts is read again below.
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
