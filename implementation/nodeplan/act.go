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

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
)

// act plans an operation for claims of one pod: one call per driver. A failed claim does not block
// calls for the others, but the pod fails once no call is in flight.
func (r *round) act(pod types.UID, claims []*claim, op Op) Outcome {
	b := &batch{round: r, pod: pod, op: op, calls: make(map[string]*Call), stuck: sets.New[string]()}
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

type batch struct {
	*round
	pod types.UID
	op  Op
	// calls are keyed by driver, plus the claim if it is called alone.
	calls map[string]*Call
	busy  bool
	err   error
	// stuck are drivers that block the operation.
	stuck sets.Set[string]
	// cause is the NOT_FOUND behind a retry at retryAt.
	cause   error
	retryAt time.Time
}

func (b *batch) fail(err error) {
	if b.err == nil {
		b.err = err
	}
}

// add plans a driver's part of a claim.
func (b *batch) add(c *claim, driver string) {
	w := c.work[driver]
	ref := ClaimRef{ClaimID: c.id, UID: c.uid}
	switch due := w.until(b.config.NotFound, b.now); {
	case w.busy:
		b.busy = true
	case w.done(b.op):
	case w.err != nil:
		b.fail(w.err)
		if !w.lookUp { // else it is the API server
			b.stuck.Insert(driver)
		}
	case w.lookUp:
		w.busy, b.busy = true, true
		b.plan.Steps = append(b.plan.Steps, LookUp{Pod: b.pod, Claim: ref, Driver: driver})
	case !due.IsZero():
		b.stuck.Insert(driver)
		if due.After(b.retryAt) {
			b.cause, b.retryAt = w.cause, due
		}
	case !b.drivers.Has(driver):
		b.fail(notRegistered(driver))
		b.stuck.Insert(driver)
	default:
		w.busy, b.busy = true, true
		if w.progress == untouched {
			w.progress = unsure
		}
		name := driver
		if w.alone {
			name += " " + c.id.Name
		}
		if b.calls[name] == nil {
			b.calls[name] = &Call{Op: b.op, Pod: b.pod, Driver: driver}
		}
		b.calls[name].Claims = append(b.calls[name].Claims, ref)
	}
}

func (b *batch) outcome() Outcome {
	for _, name := range slices.Sorted(maps.Keys(b.calls)) {
		b.plan.Steps = append(b.plan.Steps, *b.calls[name])
	}
	switch {
	case b.busy:
		return Outcome{Phase: Busy}
	case b.err != nil:
		outcome := failed(b.op, b.err)
		outcome.Drivers = sets.List(b.stuck)
		return outcome
	case b.cause != nil:
		outcome := failed(b.op, b.cause)
		outcome.RetryAt, outcome.Drivers = b.retryAt, sets.List(b.stuck)
		return outcome
	default:
		return Outcome{Phase: Done}
	}
}

// ReasonStuck is the reason of the warning event with a StuckMessage.
const ReasonStuck = "FailedUnprepareDynamicResources"

// StuckMessage explains why a pod keeps terminating, and possible fixes (kubernetes#129402). It is
// for failed outcomes.
func StuckMessage(outcome Outcome) string {
	message := fmt.Sprintf("The pod cannot terminate before its ResourceClaims are unprepared: %v. The kubelet tries again by itself.", outcome.Err)
	if len(outcome.Drivers) > 0 {
		message += " Install, restart or repair the kubelet plugin of DRA driver " + strings.Join(outcome.Drivers, ", ") + " on this node."
	}
	return message
}
