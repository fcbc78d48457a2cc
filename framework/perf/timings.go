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

package perf

import (
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/dra-conformance/dratest/framework/spec"
)

// timings records the watch events of a round's pods and their claims, by this program's clock.
type timings struct {
	mutex sync.Mutex
	// prefix is the name prefix of the round's pods: events of an earlier round can be late.
	prefix    string
	scheduled map[string]time.Time // by pod name
	waiting   map[string]bool      // marked unschedulable
	claims    map[string]*claimTimings
}

// claimTimings are the times of one claim; zero if not seen.
type claimTimings struct {
	pod                   string
	seen, allocated, gone time.Time
}

// begin discards the previous round.
func (m *timings) begin(prefix string) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.prefix, m.scheduled, m.waiting, m.claims = prefix, map[string]time.Time{}, map[string]bool{}, map[string]*claimTimings{}
}

// pod records scheduled and unschedulable pods.
func (m *timings) pod(o any) {
	now := time.Now()
	pod, ok := o.(*corev1.Pod)
	if !ok {
		return
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if !strings.HasPrefix(pod.Name, m.prefix) {
		return
	}
	if _, known := m.scheduled[pod.Name]; !known && pod.Spec.NodeName != "" {
		m.scheduled[pod.Name] = now
	}
	if slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool { return c.Reason == corev1.PodReasonUnschedulable }) {
		m.waiting[pod.Name] = true
	}
}

// claim records the creation and allocation of a pod's claim.
func (m *timings) claim(o any) {
	now := time.Now()
	claim, ok := o.(*resourceapi.ResourceClaim)
	if !ok {
		return
	}
	owner := metav1.GetControllerOf(claim)
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if owner == nil || !strings.HasPrefix(owner.Name, m.prefix) {
		return
	}
	known := m.claims[claim.Name]
	if known == nil {
		known = &claimTimings{pod: owner.Name, seen: now}
		m.claims[claim.Name] = known
	}
	if claim.Status.Allocation != nil && known.allocated.IsZero() {
		known.allocated = now
	}
}

// gone records the deletion of a claim.
func (m *timings) gone(o any) {
	now := time.Now()
	if tombstone, ok := o.(cache.DeletedFinalStateUnknown); ok {
		o = tombstone.Obj
	}
	claim, ok := o.(*resourceapi.ResourceClaim)
	if !ok {
		return
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if known := m.claims[claim.Name]; known != nil {
		known.gone = now
	}
}

func (m *timings) numberScheduled() int {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	return len(m.scheduled)
}

func (m *timings) numberWaiting() int {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	return len(m.waiting)
}

// scheduledAt returns the time a pod was scheduled, or zero.
func (m *timings) scheduledAt(name string) time.Time {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	return m.scheduled[name]
}

// claimsThere returns the number of claims not yet deleted.
func (m *timings) claimsThere() int {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	there := 0
	for _, c := range m.claims {
		if c.gone.IsZero() {
			there++
		}
	}
	return there
}

// latencies returns a round with the time-based metrics, by creation time of the pods and the time of
// their deletion.
func (m *timings) latencies(created map[string]time.Time, deleted time.Time) Round {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	var took []float64
	var first, last time.Time
	for name, at := range created {
		if first.IsZero() || at.Before(first) {
			first = at
		}
		if m.scheduled[name].After(last) {
			last = m.scheduled[name]
		}
		took = append(took, m.scheduled[name].Sub(at).Seconds())
	}
	slices.Sort(took)
	round := Round{Latencies: took, Values: map[Metric]float64{
		PodsPerSecond: float64(len(created)) / last.Sub(first).Seconds(),
		ScheduledP50:  spec.Quantile(took, 0.5), ScheduledP90: spec.Quantile(took, 0.9), ScheduledP99: spec.Quantile(took, 0.99),
	}}
	var made, allocated, gone []float64
	add := func(to *[]float64, from, until time.Time) {
		// Otherwise the event was missed, or the claim existed before late devices.
		if until.After(from) {
			*to = append(*to, until.Sub(from).Seconds())
		}
	}
	for _, c := range m.claims {
		add(&made, created[c.pod], c.seen)
		from := c.seen
		if begun := created[c.pod]; from.Before(begun) {
			from = begun
		}
		add(&allocated, from, c.allocated)
		add(&gone, deleted, c.gone)
	}
	for metric, values := range map[Metric][]float64{ClaimMadeP50: made, ClaimAllocatedP50: allocated, ClaimGoneP50: gone} {
		if len(values) > 0 {
			round.Values[metric] = spec.Quantile(values, 0.5)
		}
	}
	return round
}
