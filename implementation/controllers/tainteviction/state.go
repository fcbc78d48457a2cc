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

package tainteviction

import (
	"sync"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/utils/lru"

	"github.com/dra-conformance/dratest/implementation/evictplan"
)

// remembered is how many evicted pods are kept. They do not stay long.
const remembered = 500

// state is what the controller remembers between two syncs.
type state struct {
	mutex sync.Mutex
	pools evictplan.Pools
	// pending are the pods to evict.
	pending sets.Set[types.UID]
	// evicted are pods whose deletion may be missing in the cache.
	evicted *lru.Cache
	// tolls counts evicted pods by rule.
	tolls map[types.UID]int
}

func newState() *state {
	return &state{pending: sets.New[types.UID](), evicted: lru.New(remembered), tolls: make(map[types.UID]int)}
}

func (s *state) setSlice(old, updated *resourceapi.ResourceSlice) []evictplan.DeviceID {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.pools.Set(old, updated)
}

// withPools calls do with the pools, valid only until it returns.
func (s *state) withPools(do func(*evictplan.Pools)) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	do(&s.pools)
}

func (s *state) expect(pod types.UID) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.pending.Insert(pod)
}

// cancel cancels a pod's pending eviction and reports whether there was one.
func (s *state) cancel(pod types.UID) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	pending := s.pending.Has(pod)
	s.pending.Delete(pod)
	return pending
}

// done remembers an evicted or deleted pod.
func (s *state) done(pod types.UID, causes []evictplan.Cause) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.pending.Delete(pod)
	s.evicted.Add(pod, nil)
	for _, rule := range rulesOf(causes) {
		s.tolls[rule.UID]++
	}
}

func (s *state) wasEvicted(pod types.UID) bool {
	_, ok := s.evicted.Get(pod)
	return ok
}

// toll returns the number of pods evicted because of a rule.
func (s *state) toll(rule types.UID) int {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.tolls[rule]
}

func (s *state) forgetRule(rule types.UID) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	delete(s.tolls, rule)
}

func rulesOf(causes []evictplan.Cause) []evictplan.RuleRef {
	var rules []evictplan.RuleRef
	seen := sets.New(evictplan.RuleRef{})
	for _, cause := range causes {
		if !seen.Has(cause.Rule) {
			seen.Insert(cause.Rule)
			rules = append(rules, cause.Rule)
		}
	}
	return rules
}
