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
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
)

// Next plans steps for the pods in desired, given the registered drivers. Returned steps are in
// flight until they are answered.
func (s *State) Next(desired Desired, drivers sets.Set[string], now time.Time) Plan {
	r := &round{
		State:   s,
		drivers: drivers,
		now:     now,
		change: change{
			claims:  make(map[ClaimID]*claim),
			pods:    make(map[ClaimID]sets.Set[types.UID]),
			removed: sets.New[ClaimID](),
			edition: make(map[*claim]int),
		},
		replaced: make(map[types.UID][]*claim),
		changed:  sets.New[types.UID](),
		plan:     Plan{Pods: make(map[types.UID]Outcome)},
	}
	// New users come first: a claim passed from one pod to the next stays prepared.
	for _, pod := range desired.Run {
		if err := r.admit(pod); err != nil {
			r.plan.Pods[pod.UID] = failed(Prepare, err)
		}
	}
	for _, pod := range desired.Stop {
		for _, c := range s.of(pod) {
			r.detach(c, pod)
		}
	}
	r.changed = r.changed.Union(s.unsaved())
	r.writing = len(r.changed) > 0 && s.disk == nil
	r.call(desired)
	if r.writing {
		r.write()
	}
	return r.plan
}

// round is a call of Next.
type round struct {
	*State
	drivers sets.Set[string]
	now     time.Time
	// change is applied by the next checkpoint.
	change change
	// changed are the pods waiting for it. If not writing, they fail: it is the disk.
	changed sets.Set[types.UID]
	writing bool
	// replaced are claims of pods to be removed before their successors are prepared.
	replaced map[types.UID][]*claim
	plan     Plan
}

// users returns the pods of a claim in the next checkpoint.
func (r *round) users(c *claim) sets.Set[types.UID] {
	if pods, ok := r.change.pods[c.id]; ok {
		return pods
	}
	return c.pods
}

// detach removes a pod from a claim. The last pod must wait until all drivers have unprepared the
// claim.
func (r *round) detach(c *claim, pod types.UID) {
	others := r.users(c).Difference(sets.New(pod))
	switch {
	case len(others) > 0:
		r.change.pods[c.id] = others
	case c.done(Unprepare):
		r.change.removed.Insert(c.id)
	default:
		return
	}
	r.changed.Insert(pod)
}

// unsaved returns the pods of claims with devices missing in the checkpoint.
func (s *State) unsaved() sets.Set[types.UID] {
	pods := sets.New[types.UID]()
	for _, c := range s.claims {
		if c.edition != c.saved {
			pods = pods.Union(c.pods)
		}
	}
	return pods
}

// write plans the checkpoint.
func (r *round) write() {
	all := maps.Clone(r.claims)
	maps.Copy(all, r.change.claims)
	step := WriteCheckpoint{Claims: make([]ClaimInfo, 0, len(all)), change: r.change}
	for _, id := range slices.SortedFunc(maps.Keys(all), compareIDs) {
		if c := all[id]; !r.change.removed.Has(id) {
			step.Claims = append(step.Claims, c.info(r.users(c)))
			r.change.edition[c] = c.edition
		}
	}
	r.plan.Steps = append(r.plan.Steps, step)
}

// waits reports whether a pod has to wait for the next checkpoint: it changes the pod's claims, or
// other users of claims to be unprepared for the pod.
func (r *round) waits(pod types.UID, op Op, claims []*claim) bool {
	return r.changed.Has(pod) || op == Unprepare && slices.ContainsFunc(claims, func(c *claim) bool {
		_, users := r.change.pods[c.id]
		return users
	})
}

// call plans driver calls, for pods not waiting for a checkpoint.
func (r *round) call(desired Desired) {
	act := func(pod types.UID, op Op, claims []*claim) {
		if _, ok := r.plan.Pods[pod]; ok {
			return
		}
		switch {
		case r.writing && r.waits(pod, op, claims):
			r.plan.Pods[pod] = Outcome{Phase: Busy}
		case r.changed.Has(pod):
			r.plan.Pods[pod] = failed(op, r.disk)
		default:
			r.plan.Pods[pod] = r.act(pod, claims, op)
		}
	}
	for _, pod := range desired.Run {
		if old, ok := r.replaced[pod.UID]; ok {
			act(pod.UID, Unprepare, old)
		} else {
			act(pod.UID, Prepare, r.of(pod.UID))
		}
	}
	for _, pod := range desired.Restore {
		act(pod, Prepare, r.of(pod))
	}
	for _, pod := range desired.Stop {
		act(pod, Unprepare, r.of(pod))
	}
}

func failed(op Op, err error) Outcome {
	return Outcome{Phase: Failed, Err: op.Wrap(err)}
}
