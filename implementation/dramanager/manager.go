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

// Objects are the initial objects of a Manager. The manager does not modify them, and callers must not
// either.
type Objects struct {
	Claims     []*resourceapi.ResourceClaim
	Slices     []*resourceapi.ResourceSlice
	Classes    []*resourceapi.DeviceClass
	TaintRules []*resourceapi.DeviceTaintRule
}

// Manager is a SharedDRAManager with all objects in memory. Its methods are safe for concurrent use,
// except those changing many objects (Fork, Commit, Revert, Bind, Release): no scheduling while one of
// them runs.
type Manager struct {
	mu sync.Mutex
	// claims are stored without pending allocations.
	claims  cache.Indexer
	state   *state.State
	pending map[types.UID]pending
	// assumed holds the originals of claims changed by AssumeClaimAfterAPICall.
	assumed map[types.NamespacedName]*resourceapi.ResourceClaim

	slices    []*resourceapi.ResourceSlice // with taint rules applied
	rules     []*resourceapi.DeviceTaintRule
	classes   map[string]*resourceapi.DeviceClass
	resolver  *extendedresourcecache.ExtendedResourceCache
	journal   []func()
	forks     []int // lengths of journal at open Forks
	reverting bool  // do not journal changes
	rewritten int   // see Rewritten
}

var _ fwk.SharedDRAManager = &Manager{}

// New returns a manager of these objects. It fails on a duplicate claim.
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

// ResourceClaims returns the claim tracker.
func (m *Manager) ResourceClaims() fwk.ResourceClaimTracker { return (*claimTracker)(m) }

// ResourceSlices returns the slice lister.
func (m *Manager) ResourceSlices() fwk.ResourceSliceLister { return (*sliceLister)(m) }

// DeviceClasses returns the class lister.
func (m *Manager) DeviceClasses() fwk.DeviceClassLister { return (*classLister)(m) }

// DeviceClassResolver finds the class of an extended resource (KEP-5004).
func (m *Manager) DeviceClassResolver() fwk.DeviceClassResolver { return m.resolver }

// State tracks the devices in use; see scheduler.Simulation.
func (m *Manager) State() *state.State { return m.state }

// Indexer has the stored claims; see scheduler.Simulation.
func (m *Manager) Indexer() cache.Indexer { return m.claims }

// Fork starts a set of changes for Revert or Commit. Forks nest.
func (m *Manager) Fork() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.forks = append(m.forks, len(m.journal))
}

// Commit keeps the changes since the last open Fork. An outer Fork can still undo them.
func (m *Manager) Commit() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closeFork()
	if len(m.forks) == 0 {
		m.journal = nil
	}
}

// Revert undoes all changes since the last open Fork.
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

// closeFork returns the journal's length at the last Fork.
func (m *Manager) closeFork() int {
	last := len(m.forks) - 1
	if last < 0 {
		panic("dramanager: Commit or Revert without Fork")
	}
	begin := m.forks[last]
	m.forks = m.forks[:last]
	return begin
}

// OnRevert registers undo for the current Fork, to revert related state outside of the manager. undo
// must not call the manager.
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

// AddClaim stores a new claim.
func (m *Manager) AddClaim(claim *resourceapi.ResourceClaim) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.stored(claim.Namespace, claim.Name) != nil {
		return fmt.Errorf("add claim %s: there is one of that name", klog.KObj(claim))
	}
	m.store(claim)
	return nil
}
