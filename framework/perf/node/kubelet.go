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

package node

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/harness/await"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/perf"
	"github.com/dra-conformance/dratest/framework/spec"
)

const (
	// atOnce is the number of pods started concurrently. Starting all at once would measure processor
	// contention instead of the kubelet.
	atOnce = 4
	// relist is the kubelet's PLEG relist period (k8s.io/kubernetes v1.37.1 pkg/kubelet/kubelet.go,
	// genericPlegRelistPeriod). Without a delay by this program, all pods start in the same phase of the
	// period: this made a difference of a third of a second between two stock kubelets.
	relist = time.Second
	// lookEvery is the number of pods between two reads of the kubelet's memory. A single read per round
	// would depend on the last garbage collection.
	lookEvery = 10
)

// kubelet measures a freshly started kubelet: pod starts with a restart among them.
func (b *bench) kubelet(ctx context.Context) (map[perf.Metric]float64, error) {
	if err := b.renew(ctx); err != nil {
		return nil, err
	}
	fresh, err := b.metrics(ctx)
	if err != nil {
		return nil, err
	}
	if err := b.fill(ctx, min(5, b.number), nil); err != nil { // warm-up
		return nil, err
	}
	if err := b.clear(ctx); err != nil {
		return nil, err
	}
	if err := b.atRest(ctx, fresh); err != nil {
		return nil, err
	}
	warm, err := b.metrics(ctx)
	if err != nil {
		return nil, err
	}
	values := map[perf.Metric]float64{}
	if err := b.fill(ctx, b.number, values); err != nil {
		return nil, err
	}
	after, err := b.metrics(ctx)
	if err != nil {
		return nil, err
	}
	values[perf.PrepareTime], values[perf.DriverCall] = after.prepare.since(warm.prepare), after.call.since(warm.call)
	took, err := b.restart(ctx)
	if err != nil {
		return nil, fmt.Errorf("restart the kubelet: %w", err)
	}
	values[perf.RestartTime] = took.Seconds()
	return values, b.clear(ctx)
}

// renew restarts the kubelet and waits for the driver's registration and devices.
func (b *bench) renew(ctx context.Context) error {
	if err := b.restartKubelet(ctx); err != nil {
		return err
	}
	// The driver's own registration state is from the old kubelet.
	if err := agentapi.Change(ctx, b.agents, b.node, driver, spec.DriverChange{Restart: true}); err != nil {
		return err
	}
	if err := simdriver.StartInstance(ctx, b.agents, b.node, b.config); err != nil {
		return err
	}
	return await.Pools(ctx, b.client, driver, 1)
}

// restart restarts the kubelet of a full node and returns the time until one more pod is Running.
func (b *bench) restart(ctx context.Context) (time.Duration, error) {
	began := time.Now()
	if err := b.restartKubelet(ctx); err != nil {
		return 0, err
	}
	pod := fmt.Sprintf("restarted-%d", b.rounds)
	if _, err := b.start(ctx, pod); err != nil {
		return 0, err
	}
	return b.pods.Of(pod).Running.Sub(began), nil
}

// restartKubelet returns when the new kubelet responds.
func (b *bench) restartKubelet(ctx context.Context) error {
	old, err := b.metrics(ctx)
	if err != nil {
		return err
	}
	if _, err := b.agents.RestartKubelet(ctx, &agentapi.NodeRequest{Node: b.node}); err != nil {
		return err
	}
	err = wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, patience, true, func(ctx context.Context) (bool, error) {
		now, err := b.metrics(ctx)
		return err == nil && now.started > old.started, nil //nolint:nilerr // unavailable during the restart
	})
	if err != nil {
		return fmt.Errorf("wait until the kubelet has been restarted: %w", err)
	}
	return nil
}

// atRest waits until the kubelet has removed the sandboxes of deleted pods, once a minute. Before and
// during the removal, pods start up to a fifth slower.
func (b *bench) atRest(ctx context.Context, fresh kubeletMetrics) error {
	err := wait.PollUntilContextTimeout(ctx, time.Second, patience, true, func(ctx context.Context) (bool, error) {
		m, err := b.metrics(ctx)
		return m.sandboxes <= fresh.sandboxes, err
	})
	if err != nil {
		return fmt.Errorf("wait until the kubelet has removed sandboxes: %w", err)
	}
	return nil
}

// fill starts n pods with a claim each, a few at a time, and returns when all are Running. It adds
// measurements to values unless nil.
func (b *bench) fill(ctx context.Context, n int, values map[perf.Metric]float64) error {
	took, looked := make([]float64, n), make([]kubeletMetrics, n)
	group, starting := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for i := range n {
		group.Go(func() error {
			select {
			case <-starting.Done():
				return starting.Err()
			case <-time.After(rand.N(relist)):
			}
			time, err := b.start(starting, fmt.Sprintf("pod-%d-%d", b.rounds, i))
			if err != nil {
				return err
			}
			took[i] = time.Seconds()
			if values != nil && i%lookEvery == 0 {
				looked[i], err = b.metrics(starting)
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return fmt.Errorf("start pods: %w", err)
	}
	if values == nil {
		return nil
	}
	var memory []float64
	for i := 0; i < n; i += lookEvery {
		memory = append(memory, looked[i].resident)
	}
	values[perf.StartMean], values[perf.StartMax], values[perf.KubeletMemory] = mean(took), slices.Max(took), mean(memory)
	return nil
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// start creates a pod with a claim and returns the time from its binding to Running.
func (b *bench) start(ctx context.Context, name string) (time.Duration, error) {
	pod := objects.OnlyOn(objects.PodFromTemplate(name, podImage, early), b.node)
	if _, err := b.client.CoreV1().Pods(namespace).Create(ctx, pod, metav1.CreateOptions{}); err != nil {
		return 0, fmt.Errorf("create pod %s: %w", name, err)
	}
	var seen perf.SeenPod
	err := wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, patience, true, func(context.Context) (bool, error) {
		if seen = b.pods.Of(name); seen.Failed {
			return false, fmt.Errorf("pod %s failed", name)
		}
		return !seen.Running.IsZero(), nil
	})
	if err != nil {
		return 0, fmt.Errorf("wait for pod %s: %w", name, err)
	}
	return seen.Running.Sub(seen.Bound), nil
}
