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

package monitor

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dra-conformance/dratest/framework/audit"
	"github.com/dra-conformance/dratest/framework/follow"
	"github.com/dra-conformance/dratest/framework/spec"
)

// release is how long a reservation may outlive its pod: the claim controller retries, and may have to be elected.
const release = 30 * time.Second

// reservations are the pods for which claims of the run are reserved. Most end before their pods are worth a
// request.
type reservations struct {
	all map[reservation]*reserved
}

type reservation struct{ claim, uid types.UID }

type reserved struct {
	claim          *resourceapi.ResourceClaim
	namespace, pod string
	// asked is when the pod was asked for, or the reservation made; gone since when the pod is.
	asked, gone time.Time
}

func newReservations() reservations { return reservations{all: map[reservation]*reserved{}} }

func (r *reservations) see(s follow.State[*resourceapi.ResourceClaim], now time.Time) {
	if s.Changed == nil {
		for id := range r.all {
			if s.Objects[id.claim] == nil {
				delete(r.all, id)
			}
		}
		for _, claim := range s.Objects {
			r.claim(claim, now)
		}
		return
	}
	if s.Objects[s.Changed.UID] == nil {
		for id := range r.all {
			if id.claim == s.Changed.UID {
				delete(r.all, id)
			}
		}
		return
	}
	r.claim(s.Changed, now)
}

func (r *reservations) claim(claim *resourceapi.ResourceClaim, now time.Time) {
	if !ours(claim.Namespace) {
		return
	}
	there := map[types.UID]bool{}
	for _, ref := range claim.Status.ReservedFor {
		if ref.APIGroup != "" || ref.Resource != "pods" {
			continue
		}
		there[ref.UID] = true
		id := reservation{claim.UID, ref.UID}
		if r.all[id] == nil {
			r.all[id] = &reserved{namespace: claim.Namespace, pod: ref.Name, asked: now}
		}
		r.all[id].claim = claim
	}
	for id := range r.all {
		if id.claim == claim.UID && !there[id.uid] {
			delete(r.all, id)
		}
	}
}

// due returns the reservations with a pod to ask for. Time during a disruption does not count.
func (r *reservations) due(now time.Time, disrupted bool) []*reserved {
	var due []*reserved
	for _, e := range r.all {
		switch {
		case disrupted:
			e.asked, e.gone = now, time.Time{}
		case now.Sub(e.asked) >= release:
			e.asked = now
			due = append(due, e)
		}
	}
	return due
}

// answered takes the answer for the pod of a reservation; an empty pod is none.
func (r *reservations) answered(e *reserved, pod *corev1.Pod, now time.Time) []observation {
	w := audit.World{Claims: []resourceapi.ResourceClaim{*e.claim}}
	if pod != nil && pod.UID != "" {
		w.Pods = append(w.Pods, *pod)
	}
	for _, v := range audit.Settled(w) {
		if v.Rule != audit.StaleReservation {
			continue
		}
		if r.all[reservation{e.claim.UID, types.UID(v.Subject)}] != e {
			continue
		}
		if e.gone.IsZero() {
			e.gone = now
			return nil
		}
		return []observation{{
			rule: spec.FindingRule(v.Rule), about: v.Identity(), text: v.Text, objects: names(v.Evidence), ours: true, restart: true,
			namespace: e.claim.Namespace, byHand: byHand(e.claim, "f:reservedFor"),
		}}
	}
	e.gone = time.Time{}
	return nil
}
