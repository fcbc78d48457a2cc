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

package claimplan_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/dra-conformance/dratest/implementation/claimplan"
)

// world is an API server and a controller with stale caches.
type world struct {
	*testing.T
	*rand.Rand
	pods        map[string]*corev1.Pod
	claims      map[string]*resourceapi.ResourceClaim
	cachedPods  map[string]*corev1.Pod
	cachedClaim map[string]*resourceapi.ResourceClaim
	// mine are claims created by the controller but not in its cache.
	mine    map[string]*resourceapi.ResourceClaim
	deleted sets.Set[types.UID]
	next    int
	seen    map[string]int
}

// store writes a claim unless the writer's version is stale.
func (w *world) store(c *resourceapi.ResourceClaim) bool {
	old := w.claims[c.Name]
	if old == nil || old.UID != c.UID || old.ResourceVersion != c.ResourceVersion {
		return false
	}
	c = c.DeepCopy()
	w.next++
	c.ResourceVersion = fmt.Sprint(w.next)
	w.claims[c.Name] = c
	if c.DeletionTimestamp != nil && len(c.Finalizers) == 0 {
		delete(w.claims, c.Name)
	}
	return true
}

func (w *world) remove(name string) {
	if c := w.claims[name].DeepCopy(); c.DeletionTimestamp == nil {
		dying(c)
		w.store(c)
	}
}

func (w *world) event() {
	slot := fmt.Sprintf("pod-%d", w.IntN(4))
	p := w.pods[slot]
	switch n := w.IntN(20); {
	case n < 2 && p == nil:
		w.next++
		w.pods[slot] = pod(slot, uid(types.UID(fmt.Sprint(w.next))), withTemplate("gpu", "tmpl"), withClaim("net", "shared"))
	case n < 5 && p != nil:
		w.schedule(p)
	case n < 6 && p != nil:
		p = p.DeepCopy()
		phase(corev1.PodSucceeded)(p)
		w.pods[slot] = p
	case n < 7 && p != nil:
		w.deletePod(p)
	case n < 9:
		for name, old := range w.cachedPods {
			if now := w.pods[name]; now == nil || now.UID != old.UID {
				w.deleted.Insert(old.UID)
			}
		}
		w.cachedPods = maps.Clone(w.pods)
	case n < 11:
		w.cachedClaim = maps.Clone(w.claims)
	case n < 12 && p != nil && p.Spec.NodeName == "" && len(claimplan.ClaimNames(p)) == 2 && w.IntN(2) == 0:
		if name := claimplan.ClaimNames(p)[0]; w.claims[name] != nil {
			w.remove(name) // By accident.
		}
	case n < 12 && w.IntN(5) == 0:
		w.restart()
	default:
		w.syncAll(2)
	}
}

// restart clears memory and refreshes caches.
func (w *world) restart() {
	w.mine, w.deleted = map[string]*resourceapi.ResourceClaim{}, sets.New[types.UID]()
	w.cachedPods, w.cachedClaim = maps.Clone(w.pods), maps.Clone(w.claims)
}

// schedule is a scheduler: it allocates and reserves, or just binds.
func (w *world) schedule(p *corev1.Pod) {
	names := claimplan.ClaimNames(p)
	if len(names) < 2 || p.Spec.NodeName != "" || claimplan.Done(p) || w.claims[names[0]] == nil || w.claims[names[1]] == nil {
		return
	}
	if w.IntN(3) > 0 {
		for _, name := range names {
			c := w.claims[name].DeepCopy()
			c.Finalizers = nil
			allocated(c)
			reservedFor(p)(c)
			w.store(c)
		}
	}
	p = p.DeepCopy()
	onNode(p)
	w.pods[p.Name] = p
}

func (w *world) deletePod(p *corev1.Pod) {
	delete(w.pods, p.Name)
	w.collectGarbage()
}

func (w *world) collectGarbage() {
	for _, name := range slices.Sorted(maps.Keys(w.claims)) {
		if owner, ok := claimplan.OwningPod(w.claims[name]); ok && (w.pods[owner.Name] == nil || w.pods[owner.Name].UID != owner.UID) {
			w.remove(name)
		}
	}
}

func (w *world) syncAll(n int) {
	for range n {
		w.syncPod(fmt.Sprintf("pod-%d", w.IntN(4)))
		if names := slices.Sorted(maps.Keys(w.cachedClaim)); len(names) > 0 {
			w.syncClaim(names[w.IntN(len(names))])
		}
	}
}

func (w *world) syncPod(name string) {
	p := w.cachedPods[name]
	if p == nil {
		return
	}
	view := claimplan.PodView{Pod: p, Templates: templates("tmpl"), NoClaim: sets.New[string]()}
	known := maps.Clone(w.mine)
	maps.Copy(known, w.cachedClaim)
	for range 6 {
		view.Claims = slices.Collect(maps.Values(known))
		again := false
		for _, action := range claimplan.PlanPod(view) {
			w.seen[fmt.Sprintf("%T", action)]++
			switch action := action.(type) {
			case claimplan.VerifyClaim:
				if c := w.claims[action.Name]; c != nil {
					known[action.Name] = c
				} else {
					view.NoClaim.Insert(action.Name)
				}
				again = true
			case claimplan.VerifyPod:
				view.Live, view.Verified, again = w.pods[name], true, true
			case claimplan.CreateClaim:
				if now := w.pods[name]; len(p.Status.ResourceClaimStatuses) > 0 && (now == nil || now.UID != p.UID) {
					w.Errorf("another claim for %s, which is gone", name)
				}
				w.next++
				c := action.Claim.DeepCopy()
				c.Name = fmt.Sprintf("%s%d", c.GenerateName, w.next)
				c.UID, c.ResourceVersion = types.UID(c.Name), fmt.Sprint(w.next)
				w.claims[c.Name], w.mine[c.Name], known[c.Name] = c, c, c
				again = true
			case claimplan.RecordClaimNames:
				if now := w.pods[name]; now != nil && now.UID == action.Pod.UID {
					now = now.DeepCopy()
					now.Status.ResourceClaimStatuses = action.Statuses
					w.pods[name] = now
				}
			case claimplan.Reserve:
				w.store(action.Apply(known[action.Claim.Name]))
			}
		}
		if !again {
			return
		}
	}
	w.Errorf("no end for %s", name)
}

func (w *world) syncClaim(name string) {
	current := w.cachedClaim[name]
	view := claimplan.ClaimView{Claim: current, Pods: w.cachedPods, Deleted: w.deleted, Live: map[string]*corev1.Pod{}}
	for range 3 {
		again := false
		for _, action := range claimplan.PlanClaim(view) {
			w.seen[fmt.Sprintf("%T", action)]++
			var changed *resourceapi.ResourceClaim
			switch action := action.(type) {
			case claimplan.VerifyPod:
				view.Live[action.Name] = w.pods[action.Name]
				again = true
				continue
			case claimplan.Release:
				for _, dropped := range action.Dropped {
					w.unused(dropped.Consumer.Name, dropped.Consumer.UID)
				}
				changed = action.Apply(current)
			case claimplan.RemoveFinalizer:
				changed = action.Apply(current)
			case claimplan.DeleteClaim:
				owner, _ := claimplan.OwningPod(current)
				w.unused(owner.Name, owner.UID)
				if now := w.claims[name]; now != nil && now.UID == action.Claim.UID {
					w.remove(name)
				}
				continue
			}
			if !w.store(changed) || w.claims[name] == nil || w.IntN(20) == 0 {
				return // Conflict, not found, or a controller crash.
			}
			current = w.claims[name]
		}
		if !again {
			return
		}
	}
	w.Errorf("no end for %s", name)
}

// unused checks that a pod does not need its claim.
func (w *world) unused(name string, uid types.UID) {
	if p := w.pods[name]; p != nil && p.UID == uid && !claimplan.Done(p) {
		w.Errorf("%s lost a claim that it needs", name)
	}
}

// settle lets caches and the controller catch up, then checks each pod.
func (w *world) settle() {
	for range 3 {
		w.collectGarbage()
		w.restart()
		w.syncAll(100)
	}
	for name, c := range w.claims {
		for _, consumer := range c.Status.ReservedFor {
			if p := w.pods[consumer.Name]; p == nil || p.UID != consumer.UID || claimplan.Done(p) {
				w.Errorf("%s is reserved for %s", name, consumer.Name)
			}
		}
		if owner, ok := claimplan.OwningPod(c); ok && (w.pods[owner.Name] == nil || claimplan.Done(w.pods[owner.Name])) {
			w.Errorf("%s was made for %s and is left", name, owner.Name)
		}
	}
	for _, p := range w.pods {
		names := claimplan.ClaimNames(p)
		if !claimplan.Done(p) && (len(names) != 2 || w.claims[names[0]] == nil) {
			w.Errorf("%s has the claims %v", p.Name, names)
		}
	}
}

func TestClaimsFollowPods(t *testing.T) {
	seen := make(map[string]int)
	for seed := range uint64(60) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			w := &world{T: t, Rand: rand.New(rand.NewPCG(seed, 0)), seen: seen, pods: map[string]*corev1.Pod{},
				claims: map[string]*resourceapi.ResourceClaim{"shared": claim("shared")}}
			w.restart()
			for range 300 {
				w.event()
			}
			w.settle()
			for _, p := range w.pods {
				w.deletePod(p)
			}
			w.settle()
			if shared := w.claims["shared"]; len(w.claims) != 1 || shared.Status.Allocation != nil {
				t.Errorf("left are %v", w.claims)
			}
		})
	}
	for _, action := range []string{"VerifyClaim", "VerifyPod", "CreateClaim", "RecordClaimNames", "Reserve", "Release", "RemoveFinalizer", "DeleteClaim"} {
		if seen["claimplan."+action] < 20 {
			t.Errorf("%s happened %d times only", action, seen["claimplan."+action])
		}
	}
}
