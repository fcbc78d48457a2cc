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

// outside is what a soak has beside the API's objects, which has to fit them.
type outside interface {
	// run audits it until ctx ends.
	run(ctx context.Context)
	// settle audits it when no pod is left, once it has had patience to come to rest.
	settle(ctx context.Context, patience time.Duration) error
	// count adds to the summary what was seen of it.
	count(s *Summary)
}

// auditor audits what is outside, together with objects of the API.
type auditor[W any] struct {
	// what it is, for people.
	what   string
	ledger *ledger
	// read reads what the rules are about: claims first, so that two reads with the same
	// claims have seen the rest in between. It has not answered where that is no error.
	read func(ctx context.Context) (seen W, answered bool, err error)
	// always are the rules that hold at every moment, atRest those that hold when no pod is
	// left.
	always, atRest func(W) []audit.Violation
}

func (a *auditor[W]) run(ctx context.Context) {
	wait.UntilWithContext(ctx, func(ctx context.Context) {
		if _, _, err := a.look(ctx, a.always); err != nil && ctx.Err() == nil {
			a.ledger.problem("%v", err)
		}
	}, lookEvery)
}

// look adds what two reads without a change between them violate, and counts it, whether that
// is new or not. clean is whether it has answered and nothing was violated at all.
func (a *auditor[W]) look(ctx context.Context, check func(W) []audit.Violation) (found int, clean bool, err error) {
	seen, answered, err := a.read(ctx)
	if err != nil || !answered {
		return 0, false, err
	}
	first := check(seen)
	if len(first) == 0 {
		return 0, true, nil
	}
	seen, answered, err = a.read(ctx)
	if err != nil || !answered {
		return 0, false, err
	}
	confirmed := audit.Confirm(first, check(seen))
	a.ledger.add(confirmed)
	return len(confirmed), false, nil
}

// settle waits until nothing that has to hold when no pod is left is violated, and adds
// what is after patience.
func (a *auditor[W]) settle(ctx context.Context, patience time.Duration) error {
	check := func(seen W) []audit.Violation { return append(a.always(seen), a.atRest(seen)...) }
	// How this ends makes no difference: what counts is read again below.
	_ = wait.PollUntilContextTimeout(ctx, time.Second, patience, true, func(ctx context.Context) (bool, error) {
		seen, answered, err := a.read(ctx)
		return err == nil && answered && len(check(seen)) == 0, nil
	})
	for range attempts {
		found, clean, err := a.look(ctx, check)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil || clean || found > 0 {
			return err
		}
	}
	return fmt.Errorf("%s still changes, or does not answer, %s after the last pod has gone", a.what, patience)
}
