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

package prebind

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/perf"
	"github.com/dra-conformance/dratest/framework/spec"
)

const (
	// events is the number of node changes while pods wait in PreBind, heldEvents while a pod is held in
	// Filter.
	events, heldEvents = 10000, 2000
	// patience bounds each wait.
	patience = 10 * time.Minute
)

// bench is a control plane with a scheduler holdable in Filter.
type bench struct {
	perf.Workload

	client    kubernetes.Interface
	scheduler scheduler
	hold      *holder
}

// Scenario measures pods waiting for devices of simulated nodes. processes returns the processes of a
// control plane, as in perf.Clusters.
func Scenario(processes func(cluster string) (map[string]clusters.Process, error)) perf.Scenario {
	holders := map[string]*holder{} // by cluster
	return perf.Scenario{
		Blocks: 1,
		Cluster: func(c *clusters.Config) error {
			c.Without, c.Stack.Controllers = []string{spec.Controllers}, ""
			hold, err := newHolder()
			if err == nil {
				holders[c.Name] = hold
				extended(c, hold.url)
			}
			return err
		},
		Prepare: func(_ context.Context, s perf.Site) (perf.Measure, error) {
			hold := holders[s.Cluster]
			s.Later(func(context.Context) error { hold.close(); return nil })
			if s.Pods > s.Nodes*s.Devices {
				return nil, fmt.Errorf("%d pods need more than %d devices on each of %d nodes", s.Pods, s.Devices, s.Nodes)
			}
			running, err := processes(s.Cluster)
			if err != nil {
				return nil, err
			}
			web, err := rest.HTTPClientFor(s.REST)
			if err != nil {
				return nil, fmt.Errorf("make a client: %w", err)
			}
			return bench{s.Workload, s.Client, scheduler{web, running["kube-scheduler"].URL}, hold}.round, nil
		},
	}
}

func (b bench) round(ctx context.Context) (map[perf.Metric]float64, error) {
	if err := b.createWaiting(ctx); err != nil {
		return nil, err
	}
	if err := b.awaitPreBind(ctx); err != nil {
		return nil, err
	}
	before, err := b.scheduler.look(ctx)
	if err != nil {
		return nil, err
	}
	most, err := b.change(ctx, events)
	if err != nil {
		return nil, err
	}
	if err := b.awaitPreBind(ctx); err != nil { // still waiting
		return nil, err
	}
	held, err := b.held(ctx)
	return map[perf.Metric]float64{
		perf.InFlight: most.inFlight / events, perf.SchedulerGrowth: most.resident - before.resident, perf.HeldInFlight: held / heldEvents,
	}, err
}

// held returns the maximum number of events in flight while a pod is held in Filter. Its release must
// drop them.
func (b bench) held(ctx context.Context) (float64, error) {
	if err := b.createHeld(ctx); err != nil {
		return 0, err
	}
	select {
	case <-b.hold.asked:
	case <-time.After(patience):
		return 0, fmt.Errorf("the scheduler has not asked the extender about pod %s", heldPod)
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	most, err := b.change(ctx, heldEvents)
	if err != nil {
		return 0, err
	}
	close(b.hold.release)
	left := 0.0
	err = wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, patience, true, func(ctx context.Context) (bool, error) {
		now, err := b.scheduler.look(ctx)
		left = now.inFlight
		return left < heldEvents/10, err
	})
	if err != nil {
		return 0, fmt.Errorf("%.0f events are in flight although no pod is held any more: %w", left, err)
	}
	return most.inFlight, nil
}

// change changes node labels n times. It returns the maximum of the scheduler's state until a second
// after the last change.
func (b bench) change(ctx context.Context, n int) (most state, err error) {
	looking, cancel := context.WithCancel(ctx)
	var looks sync.WaitGroup
	var lookErr error
	looks.Go(func() {
		wait.UntilWithContext(looking, func(ctx context.Context) {
			now, err := b.scheduler.look(ctx)
			if err != nil {
				if looking.Err() == nil {
					lookErr = err
				}
				return
			}
			most = state{max(most.inFlight, now.inFlight), max(most.resident, now.resident)}
		}, 200*time.Millisecond)
	})
	group, changing := errgroup.WithContext(ctx)
	group.SetLimit(16)
	for i := range n {
		group.Go(func() error {
			patch := fmt.Sprintf(`{"metadata":{"labels":{"perf.dra-conformance.github.io/change":"%d"}}}`, i)
			_, err := b.client.CoreV1().Nodes().Patch(changing, nodeName(i%b.Nodes), types.MergePatchType, []byte(patch), metav1.PatchOptions{})
			return err
		})
	}
	err = group.Wait()
	if err == nil {
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
		}
	}
	cancel()
	looks.Wait()
	if err != nil {
		return most, fmt.Errorf("change nodes: %w", err)
	}
	return most, lookErr
}
