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
	"cmp"
	"context"
	"fmt"
	"time"
)

// Component is a component restarted by a workload.
type Component string

// The components.
const (
	NoComponent Component = ""
	// SchedulerComponent is the scheduler.
	SchedulerComponent Component = "scheduler"
	// ControllersComponent is all programs with controllers on a side: Kubernetes' other controllers stay
	// in kube-controller-manager on both.
	ControllersComponent Component = "controllers"
)

// programs returns a side's programs of components.
func (f *fixture) programs(components ...Component) []string {
	all := map[Component][]string{SchedulerComponent: {scheduler}, ControllersComponent: {controllers, ownControllers}}
	var there []string
	for _, c := range components {
		for _, program := range all[c] {
			if _, ok := f.processes[program]; ok {
				there = append(there, program)
			}
		}
	}
	return there
}

// restart kills and restarts a workload's component (default: the scheduler), waits until a pod
// created after recovery is scheduled, and removes this pod. It returns the metrics of workloads with
// Restart.
//
// The scheduler is restarted for every round: processes of the same program differ by some per cent
// over their lifetime, invisible in an interval of their rounds. The pod warms up the new process
// outside of rounds.
func (f *fixture) restart(ctx context.Context, w Workload) (map[Metric]float64, error) {
	prefix := fmt.Sprintf("restarted-%d-", f.rounds)
	f.begin(prefix)
	if w.Claims == SharedClaims {
		if err := f.createClaims(ctx, w.sharedClaims()[:1]); err != nil {
			return nil, err
		}
	}
	programs := f.programs(cmp.Or(w.Restart, SchedulerComponent))
	before, err := f.spent()
	if err != nil {
		return nil, err
	}
	killed := time.Now()
	if err := f.clusters.Restart(ctx, f.bed.Cluster, programs...); err != nil {
		return nil, err
	}
	if f.processes, err = f.clusters.Processes(f.bed.Cluster); err != nil {
		return nil, err
	}
	pod := w.pod(prefix, 0)
	if err := create(ctx, f.client, namespace, pod); err != nil {
		return nil, err
	}
	if err := f.await(ctx, "a pod to be scheduled after the restart", func() int { return 1 - f.numberScheduled() }); err != nil {
		return nil, err
	}
	after, err := f.spent()
	if err != nil {
		return nil, err
	}
	values := map[Metric]float64{}
	if w.Restart != NoComponent {
		values[RestartTime] = f.scheduledAt(pod.Name).Sub(killed).Seconds()
		for _, program := range programs {
			before.cpu[program] = 0 // a new process starts at 0
			values[RestartCPU] += after.cpu[program]
		}
		values[Others] = others(before, after)
	}
	return values, f.remove(ctx)
}
