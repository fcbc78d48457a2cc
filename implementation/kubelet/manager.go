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

package kubelet

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/klog/v2"

	"github.com/dra-conformance/dratest/implementation/nodeplan"
)

// reconcilePeriod is the period of looking for deleted pods that were never stopped, for example
// because the kubelet was down.
const reconcilePeriod = time.Minute

// Manager prepares the claims of this node's pods.
type Manager struct {
	config     Config
	checkpoint checkpoint
	cdiSpecs   cdiSpecs
	health     *healthCache
	updates    *updates
	// rebuilding is held while rebuilding a lost checkpoint.
	rebuilding sync.Mutex

	logger klog.Logger

	// mu is never held during calls of drivers or the API server, or file writes.
	mu    sync.Mutex
	state *nodeplan.State
	// tasks are waiting pods, oldest first. planning is set while a goroutine works on them, due
	// after a change since the last nodeplan call.
	tasks         []*task
	planning, due bool
	// saved is the content of the checkpoint.
	saved []nodeplan.ClaimInfo
	// lost is why the state may miss claims of this node.
	lost    error
	drivers nodeplan.Drivers
	// plugins are the connections to driver instances, by endpoint.
	plugins map[string]*plugin
	// wipes are the pending removals of ResourceSlices, by driver.
	wipes map[string]*wipe
	node  *node
	// stopped is set when the context of Start is done.
	stopped bool
}

// node is set by Start. It is nil before Start and after its context is done.
type node struct {
	activePods ActivePods
	get        GetNode
	sources    SourcesReady
}

// New reads the checkpoint. If it is corrupt, the manager does nothing for claims until it knows
// those pods may have (see nodeplan.Rebuild). All other problems with it are errors.
func New(ctx context.Context, config Config) (*Manager, error) {
	if err := config.setDefaults(); err != nil {
		return nil, err
	}
	logger := klog.FromContext(ctx)
	m := &Manager{
		config:     config,
		checkpoint: checkpoint{filepath.Join(config.StateDir, nodeplan.CheckpointFile)},
		cdiSpecs:   cdiSpecs{dirs: config.CDIDirs},
		updates:    newUpdates(),
		logger:     logger,
		plugins:    make(map[string]*plugin),
		wipes:      make(map[string]*wipe),
	}
	claims, err := m.checkpoint.read()
	switch {
	case errors.Is(err, nodeplan.ErrCorrupt):
		m.lost = fmt.Errorf("ResourceClaim state was lost: %w", err)
		logger.Error(err, "ResourceClaim state was lost, pods with claims have to wait until it is rebuilt from the API server")
		if err := m.checkpoint.keep(); err != nil {
			logger.Error(err, "Failed to keep a copy of the corrupt checkpoint")
		}
	case err != nil:
		return nil, fmt.Errorf("read ResourceClaim state: %w", err)
	default:
		logger.V(2).Info("Read checkpoint", "path", m.checkpoint.path, "claims", len(claims))
	}
	m.health, err = readHealth(filepath.Join(config.StateDir, healthFile), config.Clock)
	if err != nil {
		logger.Error(err, "Starting without the health of devices")
	}
	m.load(claims)
	return m, nil
}

func (m *Manager) load(claims []nodeplan.ClaimInfo) {
	m.saved = claims
	m.state = nodeplan.New(nodeplan.Config{
		OptionalNodeOperations: m.config.Gates.DRAOptionalNodeOperations,
		WorkloadResourceClaims: m.config.Gates.DRAWorkloadResourceClaims,
	}, claims)
}

// Start starts the background work, until ctx is done. Plugins can be registered from then on.
func (m *Manager) Start(ctx context.Context, activePods ActivePods, getNode GetNode, sources SourcesReady) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.node != nil {
		return errors.New("the DRA manager was started before")
	}
	m.node = &node{activePods: activePods, get: getNode, sources: sources}
	// KEP-4381: no pod should be scheduled for devices of drivers that do not return.
	m.startWipe(ctx, allDrivers, 0)
	go m.updates.run(ctx)
	go m.reconcile(ctx)
	context.AfterFunc(ctx, m.stop)
	return nil
}

// stop ends background work started by methods without a context of that lifetime.
func (m *Manager) stop() {
	m.mu.Lock()
	m.node, m.stopped = nil, true
	plugins := m.plugins
	m.plugins = make(map[string]*plugin)
	m.drivers = nodeplan.Drivers{}
	for driver := range m.wipes {
		m.cancelWipe(driver)
	}
	m.mu.Unlock()
	for _, p := range plugins {
		p.close()
	}
}

func (m *Manager) started() *node {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.node
}

// reconcile unprepares the claims of deleted pods, until ctx is done.
func (m *Manager) reconcile(ctx context.Context) {
	for {
		m.stopGone(ctx)
		timer := m.config.Clock.NewTimer(reconcilePeriod)
		select {
		case <-timer.C():
		case <-ctx.Done():
			timer.Stop()
			return
		}
	}
}

func (m *Manager) stopGone(ctx context.Context) {
	logger := klog.FromContext(ctx)
	node := m.started()
	if node == nil || !node.sources.AllReady() {
		return
	}
	if err := m.rebuild(ctx); err != nil {
		logger.Error(err, "Failed to rebuild ResourceClaim state, will retry")
		return
	}
	var wg sync.WaitGroup
	for _, pod := range m.gone(node) {
		wg.Go(func() {
			outcome := m.settle(ctx, nodeplan.Unprepare, pod, nodeplan.Desired{Stop: []types.UID{pod}})
			if outcome.Err != nil && ctx.Err() == nil {
				logger.Info("Pod is gone, but its ResourceClaims could not be unprepared, will retry", "podUID", pod, "err", outcome.Err)
			}
		})
	}
	wg.Wait()
}

// gone returns inactive pods with claims. Pods with claims are listed first: a pod starting
// meanwhile is active before it gets its claims.
func (m *Manager) gone(node *node) []types.UID {
	m.mu.Lock()
	all := m.state.Gone(nil)
	m.mu.Unlock()
	if len(all) == 0 {
		return nil
	}
	active := sets.New[types.UID]()
	for _, pod := range node.activePods() {
		active.Insert(pod.UID)
	}
	return slices.DeleteFunc(all, active.Has)
}

// MightNeedToUnprepare reports whether a pod has, or may have, claims here. The pod must not be
// reported as terminated before.
func (m *Manager) MightNeedToUnprepare(pod types.UID) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.lost != nil || m.state.MightNeedUnprepare(pod)
}
