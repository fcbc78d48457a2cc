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

	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/klog/v2"

	"github.com/dra-conformance/dratest/implementation/nodeplan"
)

// errAbandoned ends a step whose pod has stopped waiting. Other pods may still need it.
var errAbandoned = errors.New("pod has stopped waiting")

// errStopped rejects writes after stop: another manager may be running by then.
var errStopped = errors.New("the kubelet is stopping")

func (m *Manager) answer(apply func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	apply()
	m.plan()
}

// write writes the checkpoint. The lock is held before and after.
func (m *Manager) write(step nodeplan.WriteCheckpoint) {
	m.logger.V(4).Info("Writing checkpoint", "claims", len(step.Claims))
	err := errStopped
	if !m.stopped {
		m.mu.Unlock()
		err = m.checkpoint.write(step.Claims, step.Durable())
		m.mu.Lock()
	}
	m.state.ApplyWrite(step, err)
	m.plan()
	if err != nil {
		m.logger.Error(err, "Failed to write checkpoint")
		return
	}
	m.logger.V(2).Info("Wrote checkpoint", "claims", len(step.Claims))
	m.countSkips(m.saved, step.Claims)
	m.saved = step.Claims
}

// countSkips counts calls skipped for added and removed claims.
func (m *Manager) countSkips(before, after []nodeplan.ClaimInfo) {
	eachSkip(after, before, resourceapi.SkipNodeOperationNodePrepareResources, m.config.Metrics.PrepareSkipped)
	eachSkip(before, after, resourceapi.SkipNodeOperationNodeUnprepareResources, m.config.Metrics.UnprepareSkipped)
}

// eachSkip calls count for each driver without work for a claim that is in one list only.
func eachSkip(in, notIn []nodeplan.ClaimInfo, op resourceapi.SkipNodeOperation, count func(driver string)) {
	known := make(map[nodeplan.ClaimRef]bool, len(notIn))
	for _, info := range notIn {
		known[info.Ref()] = true
	}
	for _, info := range in {
		if known[info.Ref()] {
			continue
		}
		for driver, state := range info.DriverState {
			if state.Skips(op) {
				count(driver)
			}
		}
	}
}

// lookUp checks whether a claim unknown to a driver exists.
func (m *Manager) lookUp(ctx context.Context, step nodeplan.LookUp) {
	found := m.find(ctx, step.Claim.ClaimID)
	m.answer(func() { m.state.ApplyLookUp(step, found, m.config.Clock.Now()) })
}

func (m *Manager) find(ctx context.Context, id nodeplan.ClaimID) nodeplan.Found {
	logger := klog.FromContext(ctx)
	found := m.get(ctx, id)
	switch {
	case found.Err == nil:
		logger.V(2).Info("ResourceClaim that the driver does not know exists", "claim", klog.KRef(id.Namespace, id.Name), "claimUID", found.Claim.UID)
	case apierrors.IsNotFound(found.Err), apierrors.IsForbidden(found.Err):
		// Nodes may only read claims of their pods. The response for others does not show whether
		// they exist.
		logger.V(2).Info("ResourceClaim that the driver does not know was deleted, or its pods were", "claim", klog.KRef(id.Namespace, id.Name), "err", found.Err)
		return nodeplan.Found{}
	case ctx.Err() != nil:
		return nodeplan.Found{Err: fmt.Errorf("%w: %w", errAbandoned, found.Err)}
	}
	return found
}

func unavailable(pod nodeplan.Pod) error {
	for _, found := range pod.Claims {
		if found.Err != nil && !apierrors.IsNotFound(found.Err) {
			return found.Err
		}
	}
	return nil
}
