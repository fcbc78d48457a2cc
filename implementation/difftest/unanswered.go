package difftest

import (
	"context"

	"github.com/dra-conformance/dratest/implementation/difftest/problem"
)

// Unanswered counts the nodes that took upstream too long, by what came of this project's
// answers for them.
type Unanswered struct {
	// Valid allocations: upstream accepts them when it is given their devices.
	Valid int
	// Proven refusals: no allocation exists.
	Proven int
	// Undecided refusals: the proof took too long.
	Undecided int
	// Errors are not checked: which error comes first depends on the order of a search.
	Errors int
	// TooSlow: this project's allocator has no answer either.
	TooSlow int
}

func (u *Unanswered) add(other Unanswered) {
	u.Valid += other.Valid
	u.Proven += other.Proven
	u.Undecided += other.Undecided
	u.Errors += other.Errors
	u.TooSlow += other.TooSlow
}

// check proves this project's answer for a node that upstream has none for, and counts
// it. It returns what is wrong with the answer, "" for nothing, or the meant difference
// with which it is right.
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
		if what, counter := w.prove(ctx, other, node, own); what == "" {
			*counter(count)++
			return "", &meant
		}
	}
	return what, nil
}

// prove returns what is wrong with an answer, or else where it counts.
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
