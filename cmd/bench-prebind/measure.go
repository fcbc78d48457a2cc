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

package main

import (
	"context"
	"fmt"
	"os"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
)

// result is what was measured of a scheduler.
type result struct {
	pods, events, heldEvents int
	// before and after the events.
	before, after state
	// most is the most that was seen of each while they happened.
	most state
	// held is the most events in flight while a pod was held in Filter, and left what is
	// there once it has gone on.
	held, left float64
}

func (r result) String() string {
	return fmt.Sprintf("%d pods wait in PreBind, %d events: in flight at most %.0f, memory %.0f MiB before, %.0f at most, %.0f after; control: a pod held in Filter, %d events: in flight %.0f, then %.0f",
		r.pods, r.events, r.most.inFlight, r.before.resident/mib, r.most.resident/mib, r.after.resident/mib, r.heldEvents, r.held, r.left)
}

// growth is by how much memory may grow. Events that were kept would be at least 10,000
// times two nodes of 2 KiB; the rest is what Go has not collected.
const growth = 64 * mib

// problems are what speaks against the scheduler, or against the measurement.
func (r result) problems() []string {
	var all []string
	if most := float64(r.events) / 10; r.most.inFlight > most {
		all = append(all, fmt.Sprintf("events pile up while pods wait in PreBind: %.0f of %d are kept", r.most.inFlight, r.events))
	}
	if grown := r.most.resident - r.before.resident; grown > growth {
		all = append(all, fmt.Sprintf("memory grows by %.0f MiB while pods wait in PreBind, by more than %d", grown/mib, growth/mib))
	}
	if r.held < float64(r.heldEvents)/2 {
		all = append(all, fmt.Sprintf("the measurement shows nothing: while a pod was held in Filter only %.0f of %d events were in flight", r.held, r.heldEvents))
	}
	return all
}

func (b bench) run(ctx context.Context) (r result, err error) {
	r = result{pods: b.pods, events: b.events, heldEvents: b.heldEvents}
	fmt.Fprintf(os.Stderr, "     let %d pods wait in PreBind\n", b.pods)
	if err := b.createWaiting(ctx); err != nil {
		return r, err
	}
	if err := b.awaitPreBind(ctx); err != nil {
		return r, err
	}
	if r.before, err = b.scheduler.look(ctx); err != nil {
		return r, err
	}
	fmt.Fprintf(os.Stderr, "     change nodes %d times\n", b.events)
	if r.most, err = b.change(ctx, b.events); err != nil {
		return r, err
	}
	if r.after, err = b.scheduler.look(ctx); err != nil {
		return r, err
	}
	if err := b.awaitPreBind(ctx); err != nil { // they have waited all the time
		return r, err
	}
	fmt.Fprintf(os.Stderr, "     hold a pod in Filter, and change nodes %d times\n", b.heldEvents)
	if err := b.createHeld(ctx); err != nil {
		return r, err
	}
	select {
	case <-b.hold.asked:
	case <-time.After(patience):
		return r, fmt.Errorf("the scheduler has not asked the extender about pod %s", heldPod)
	case <-ctx.Done():
		return r, ctx.Err()
	}
	held, err := b.change(ctx, b.heldEvents)
	if err != nil {
		return r, err
	}
	r.held = held.inFlight
	close(b.hold.release)
	err = wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, patience, true, func(ctx context.Context) (bool, error) {
		now, err := b.scheduler.look(ctx)
		r.left = now.inFlight
		return r.left < float64(b.heldEvents)/10, err
	})
	if err != nil {
		return r, fmt.Errorf("%.0f events are in flight although no pod is held any more: %w", r.left, err)
	}
	return r, nil
}

// change changes the labels of nodes n times, and returns the most that is seen of the
// scheduler's state meanwhile and until it has had a second to see the last of them.
func (b bench) change(ctx context.Context, n int) (most state, err error) {
	looking, cancel := context.WithCancel(ctx)
	var looks sync.WaitGroup
	var lookErr error
	looks.Go(func() {
		wait.UntilWithContext(looking, func(ctx context.Context) {
			now, err := b.scheduler.look(ctx)
			if err != nil {
				if looking.Err() == nil {
					lookErr = err
				}
				return
			}
			most = state{max(most.inFlight, now.inFlight), max(most.resident, now.resident)}
		}, 200*time.Millisecond)
	})
	group, changing := errgroup.WithContext(ctx)
	group.SetLimit(16)
	for i := range n {
		group.Go(func() error {
			patch := fmt.Sprintf(`{"metadata":{"labels":{"bench.dra-conformance.github.io/change":"%d"}}}`, i)
			_, err := b.client.CoreV1().Nodes().Patch(changing, nodeName(i%b.nodes), types.MergePatchType, []byte(patch), metav1.PatchOptions{})
			return err
		})
	}
	err = group.Wait()
	if err == nil {
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
		}
	}
	cancel()
	looks.Wait()
	if err != nil {
		return most, fmt.Errorf("change nodes: %w", err)
	}
	return most, lookErr
}
