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

package difftest

import (
	"context"

	"github.com/dra-conformance/dratest/framework/problem"
)

// Unanswered counts nodes with an upstream timeout, by this project's answer.
type Unanswered struct {
	// Valid counts allocations accepted by upstream when given their devices.
	Valid int
	// Proven counts proven rejections: no allocation exists.
	Proven int
	// Undecided counts rejections without a proof in time.
	Undecided int
	// Errors are not checked: the first error depends on the search order.
	Errors int
	// TooSlow counts timeouts of this project's allocator, too.
	TooSlow int
}

func (u *Unanswered) add(other Unanswered) {
	u.Valid += other.Valid
	u.Proven += other.Proven
	u.Undecided += other.Undecided
	u.Errors += other.Errors
	u.TooSlow += other.TooSlow
}

// check proves this project's answer for a node without an upstream answer, and counts it. It
// returns the violation, "" for none, or the intended difference explaining the answer.
func (w *worker) check(ctx context.Context, p *problem.Problem, node int, own Answer, count *Unanswered) (string, *Meant) {
	what, counter := w.prove(ctx, p, node, own)
	if what == "" {
		*counter(count)++
		return "", nil
	}
	for _, meant := range MeantDifferences() {
		other := meant.Instead(p)
		if other == nil {
			continue
		}
		if what, counter := w.prove(ctx, other, node, meant.translate(own)); what == "" {
			*counter(count)++
			return "", &meant
		}
	}
	return what, nil
}

// prove returns what is wrong with an answer, or its counter.
func (w *worker) prove(ctx context.Context, p *problem.Problem, node int, own Answer) (string, func(*Unanswered) *int) {
	switch own.Kind {
	case Fits:
		return invalid(ctx, w.upstream, p, node, own), func(u *Unanswered) *int { return &u.Valid }
	case DoesNotFit, NodeError:
		switch proveRefusal(ctx, w.upstream, p, node) {
		case refuted:
			return "own: " + own.Kind.String() + ", but there is an allocation that upstream accepts", nil
		case undecided:
			return "", func(u *Unanswered) *int { return &u.Undecided }
		}
		return "", func(u *Unanswered) *int { return &u.Proven }
	case TooSlow:
		return "", func(u *Unanswered) *int { return &u.TooSlow }
	case Crash:
		return "own crashes", nil
	}
	return "", func(u *Unanswered) *int { return &u.Errors }
}
