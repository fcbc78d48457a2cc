package nodeplan

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// act plans an operation for claims of one pod: one call for each driver. A claim that
// fails does not keep the others from being called, but it makes the pod fail once
// nothing is on its way any more.
func (r *round) act(pod types.UID, claims []*claim, op Op) Outcome {
	b := &batch{round: r, pod: pod, op: op, calls: make(map[string]*Call)}
	for _, c := range claims {
		switch {
		case op == Unprepare:
			c.close()
		case c.closing:
			b.fail(fmt.Errorf("ResourceClaim %s is being unprepared", c.id.Name))
			continue
		}
		for _, driver := range c.drivers() {
			b.add(c, driver)
		}
		if op == Prepare && c.done(op) {
			c.used = true
		}
	}
	return b.outcome()
}

// batch is an operation in the making.
type batch struct {
	*round
	pod     types.UID
	op      Op
	calls   map[string]*Call
	busy    bool
	err     error
	missing []string
	// cause is the NOT_FOUND after which calls are due at retryAt.
	cause   error
	retryAt time.Time
}

func (b *batch) fail(err error) {
	if b.err == nil {
		b.err = err
	}
}

// add finds out what to do for a driver's part of a claim.
func (b *batch) add(c *claim, driver string) {
	w := c.work[driver]
	ref := ClaimRef{ClaimID: c.id, UID: c.uid}
	switch due := w.until(b.config.NotFound, b.now); {
	case w.busy:
		b.busy = true
	case w.done(b.op):
	case w.err != nil:
		b.fail(w.err)
	case w.lookUp:
		w.busy, b.busy = true, true
		b.plan.Steps = append(b.plan.Steps, LookUp{Pod: b.pod, Claim: ref, Driver: driver})
	case !due.IsZero():
		if due.After(b.retryAt) {
			b.cause, b.retryAt = w.cause, due
		}
	case !b.drivers.Has(driver):
		b.fail(notRegistered(driver))
		if !slices.Contains(b.missing, driver) {
			b.missing = append(b.missing, driver)
		}
	default:
		w.busy, b.busy = true, true
		if w.progress == untouched {
			w.progress = unsure
		}
		if b.calls[driver] == nil {
			b.calls[driver] = &Call{Op: b.op, Pod: b.pod, Driver: driver}
		}
		b.calls[driver].Claims = append(b.calls[driver].Claims, ref)
	}
}

func (b *batch) outcome() Outcome {
	for _, driver := range slices.Sorted(maps.Keys(b.calls)) {
		b.plan.Steps = append(b.plan.Steps, *b.calls[driver])
	}
	switch {
	case b.busy:
		return Outcome{Phase: Busy}
	case b.err != nil:
		outcome := failed(b.op, b.err)
		if b.op == Unprepare {
			slices.Sort(b.missing)
			outcome.MissingDrivers = b.missing
		}
		return outcome
	case b.cause != nil:
		outcome := failed(b.op, b.cause)
		outcome.RetryAt = b.retryAt
		return outcome
	default:
		return Outcome{Phase: Done}
	}
}

// ReasonStuck is the reason of the warning event with a StuckMessage.
const ReasonStuck = "FailedUnprepareDynamicResources"

// StuckMessage tells why a pod keeps terminating when drivers are missing, and what
// can be done about it (kubernetes#129402).
func StuckMessage(drivers []string) string {
	which, them := "DRA driver "+drivers[0]+" is", "it"
	if len(drivers) > 1 {
		which, them = "DRA drivers "+strings.Join(drivers, ", ")+" are", "they"
	}
	return "The pod cannot terminate before its ResourceClaims are unprepared, but " + which + " not registered on this node." +
		" Install or restart the kubelet plugin here: the pod terminates by itself when " + them + " can be called."
}
