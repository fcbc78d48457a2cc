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
	"slices"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"

	"github.com/dra-conformance/dratest/implementation/nodeplan"
)

type task struct {
	// ctx is the waiting caller's. Driver calls use it.
	ctx     context.Context
	pod     types.UID
	desired nodeplan.Desired
	// outcome receives the final outcome.
	outcome chan nodeplan.Outcome
}

// perform returns when a pod is done or has failed. Concurrent pods share a checkpoint: writing it
// dominates when many start.
func (m *Manager) perform(ctx context.Context, op nodeplan.Op, pod types.UID, desired nodeplan.Desired) nodeplan.Outcome {
	w := &task{ctx: ctx, pod: pod, desired: desired, outcome: make(chan nodeplan.Outcome, 1)}
	m.mu.Lock()
	m.tasks = append(m.tasks, w)
	m.plan()
	m.mu.Unlock()
	select {
	case outcome := <-w.outcome:
		return outcome
	case <-ctx.Done():
		m.mu.Lock()
		defer m.mu.Unlock()
		m.forget(w)
		return nodeplan.Outcome{Phase: nodeplan.Failed, Err: op.Wrap(ctx.Err())}
	}
}

// forget ends a task. The pod's next task, if any, follows. The lock is held.
func (m *Manager) forget(w *task) {
	m.tasks = slices.DeleteFunc(m.tasks, func(other *task) bool { return other == w })
	if slices.ContainsFunc(m.tasks, func(other *task) bool { return other.pod == w.pod }) {
		m.plan()
	}
}

// plan triggers planning after new tasks or answers. The lock is held.
func (m *Manager) plan() {
	m.due = true
	if !m.planning {
		m.planning = true
		go m.rounds()
	}
}

func (m *Manager) rounds() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for m.due {
		m.due = false
		m.round()
	}
	m.planning = false
}

// round plans for all pods at once. The lock is held, except during writes.
func (m *Manager) round() {
	first := make(map[types.UID]*task, len(m.tasks))
	var desired nodeplan.Desired
	for _, w := range m.tasks {
		// A pod's tasks are sequential. A caller that stopped waiting has a canceled context.
		if first[w.pod] == nil && w.ctx.Err() == nil {
			first[w.pod] = w
			desired.Run = append(desired.Run, w.desired.Run...)
			desired.Restore = append(desired.Restore, w.desired.Restore...)
			desired.Stop = append(desired.Stop, w.desired.Stop...)
		}
	}
	plan := m.state.Next(desired, m.drivers.Names(), m.config.Clock.Now())
	for pod, outcome := range plan.Pods {
		w := first[pod]
		klog.FromContext(w.ctx).V(5).Info("Planned steps for pod", "podUID", pod, "phase", outcome.Phase)
		if outcome.Phase != nodeplan.Busy {
			m.forget(w)
			w.outcome <- outcome
		}
	}
	for _, step := range plan.Steps {
		switch step := step.(type) {
		case nodeplan.WriteCheckpoint:
			m.write(step)
		case nodeplan.Call:
			go m.call(first[step.Pod].ctx, step)
		case nodeplan.LookUp:
			go m.lookUp(first[step.Pod].ctx, step)
		}
	}
}
