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

package dramanager

import (
	"fmt"
	"sync"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
	"k8s.io/dynamic-resource-allocation/deviceclass/extendedresourcecache"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/dra-conformance/dratest/implementation/state"
)

// Objects are what a Manager starts with. They are not modified, and must not be
// afterwards.
type Objects struct {
	Claims     []*resourceapi.ResourceClaim
	Slices     []*resourceapi.ResourceSlice
	Classes    []*resourceapi.DeviceClass
	TaintRules []*resourceapi.DeviceTaintRule
}

// Manager is a SharedDRAManager that has all objects itself. Its methods are safe for
// concurrent use, but for those that change many objects (Fork, Commit, Revert, Bind,
// Release): while one of them runs, nobody may be scheduling.
type Manager struct {
	mu sync.Mutex
	// claims are the stored ones, without pending allocations.
	claims  cache.Indexer
	state   *state.State
	pending map[types.UID]pending
	// assumed has, for each claim changed by AssumeClaimAfterAPICall, how it was.
	assumed map[types.NamespacedName]*resourceapi.ResourceClaim

	slices    []*resourceapi.ResourceSlice // with taint rules applied
	rules     []*resourceapi.DeviceTaintRule
	classes   map[string]*resourceapi.DeviceClass
	resolver  *extendedresourcecache.ExtendedResourceCache
	journal   []func()
	forks     []int // lengths of journal at each Fork that is open
	reverting bool  // changes are not journaled
	rewritten int   // see Rewritten
}

var _ fwk.SharedDRAManager = &Manager{}

// New returns a manager of these objects. The error names a claim that is there twice.
func New(objects Objects) (*Manager, error) {
	m := &Manager{
		claims:   cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{consumerIndex: indexConsumers}),
		state:    state.New(),
		pending:  make(map[types.UID]pending),
		assumed:  make(map[types.NamespacedName]*resourceapi.ResourceClaim),
		rules:    sortedRules(objects.TaintRules),
		classes:  make(map[string]*resourceapi.DeviceClass, len(objects.Classes)),
		resolver: extendedresourcecache.NewExtendedResourceCache(klog.Background()),
	}
	for _, claim := range objects.Claims {
		if err := m.AddClaim(claim); err != nil {
			return nil, err
		}
	}
	for _, class := range objects.Classes {
		m.classes[class.Name] = class
		m.resolver.OnAdd(class, true)
	}
	m.AddSlices(objects.Slices...)
	return m, nil
}

// ResourceClaims returns the tracker of claims.
func (m *Manager) ResourceClaims() fwk.ResourceClaimTracker { return (*claimTracker)(m) }

// ResourceSlices returns the lister of slices.
func (m *Manager) ResourceSlices() fwk.ResourceSliceLister { return (*sliceLister)(m) }

// DeviceClasses returns the lister of classes.
func (m *Manager) DeviceClasses() fwk.DeviceClassLister { return (*classLister)(m) }

// DeviceClassResolver finds the class that serves an extended resource (KEP-5004).
func (m *Manager) DeviceClassResolver() fwk.DeviceClassResolver { return m.resolver }

// State says which devices the claims use; see scheduler.Simulation.
func (m *Manager) State() *state.State { return m.state }

// Indexer has the stored claims; see scheduler.Simulation.
func (m *Manager) Indexer() cache.Indexer { return m.claims }

// Fork begins changes that Revert can undo. Forks nest.
func (m *Manager) Fork() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.forks = append(m.forks, len(m.journal))
}

// Commit keeps what was changed since the last Fork that is open. A Fork around that
// one can still undo it.
func (m *Manager) Commit() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closeFork()
	if len(m.forks) == 0 {
		m.journal = nil
	}
}

// Revert undoes all changes since the last Fork that is open.
func (m *Manager) Revert() {
	m.mu.Lock()
	defer m.mu.Unlock()
	begin := m.closeFork()
	m.reverting = true
	for i := len(m.journal) - 1; i >= begin; i-- {
		m.journal[i]()
	}
	m.reverting = false
	m.journal = m.journal[:begin]
}

// closeFork returns the length that the journal had at the last Fork.
func (m *Manager) closeFork() int {
	last := len(m.forks) - 1
	if last < 0 {
		panic("dramanager: Commit or Revert without Fork")
	}
	begin := m.forks[last]
	m.forks = m.forks[:last]
	return begin
}

// OnRevert has undo run in its turn if the changes since the last Fork are undone, for
// what belongs to them outside of the manager, which undo must not call.
func (m *Manager) OnRevert(undo func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.onRevert(undo)
}

func (m *Manager) onRevert(undo func()) {
	if len(m.forks) > 0 && !m.reverting {
		m.journal = append(m.journal, undo)
	}
}

// AddClaim stores a claim that was not there before.
func (m *Manager) AddClaim(claim *resourceapi.ResourceClaim) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.stored(claim.Namespace, claim.Name) != nil {
		return fmt.Errorf("add claim %s: there is one of that name", klog.KObj(claim))
	}
	m.store(claim)
	return nil
}
