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

// Component is what a workload can have killed and started again.
type Component string

// The components.
const (
	NoComponent Component = ""
	// SchedulerComponent is the scheduler.
	SchedulerComponent Component = "scheduler"
	// ControllersComponent is all programs that run controllers on a side, as what is
	// Kubernetes' own is left to kube-controller-manager on both.
	ControllersComponent Component = "controllers"
)

// programs are those of components that a side has.
func (f *field) programs(components ...Component) []string {
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

// restart kills a workload's component, else the scheduler, starts it again, and waits until a pod
// that is created once it answers is scheduled, which it then removes. It measures what a workload
// with a restart wants to know.
//
// The scheduler is always another one: two processes of one program differ by some per cent for as
// long as they run, which no interval of their rounds would show. The pod has it read and compile
// what it does once, which is of no round.
func (f *field) restart(ctx context.Context, w Workload) (map[Metric]float64, error) {
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
			before.cpu[program] = 0 // what there is now has used nothing before
			values[RestartCPU] += after.cpu[program]
		}
		values[Others] = others(before, after)
	}
	return values, f.remove(ctx)
}
