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
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/time/rate"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

const (
	// createdAtOnce is the concurrency of requests creating pods.
	createdAtOnce = 16
	// roundTime is the timeout of a round, for example with a stuck scheduler.
	roundTime = 10 * time.Minute
	// lookAgain is the poll interval on the watch cache. Pod times do not depend on it.
	lookAgain = 20 * time.Millisecond
	// mayAskAfter bounds the delay until a started component has loaded its authorization rules.
	mayAskAfter = 10 * time.Second
	namespace   = metav1.NamespaceDefault
	// runningNamespace has the long-running pods.
	runningNamespace = "running"
)

// round restarts the scheduler or the workload's component, and measures the workload's pods.
func (f *fixture) round(ctx context.Context, w Workload) (Round, error) {
	ctx, cancel := bounded(ctx)
	defer cancel()
	restarted, err := f.restart(ctx, w)
	if err != nil {
		return Round{}, err
	}
	round, err := f.pods(ctx, w)
	if err != nil {
		return Round{}, err
	}
	restarted[Others] = max(restarted[Others], round.Values[Others])
	maps.Copy(round.Values, restarted)
	return round, nil
}

// bounded adds the timeout of a round.
func bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, roundTime, fmt.Errorf("a round took longer than %s", roundTime))
}

// pods creates the pods of a round, waits until all are scheduled, deletes them and waits until they
// and their claims are gone.
func (f *fixture) pods(ctx context.Context, w Workload) (Round, error) {
	f.rounds++
	prefix := fmt.Sprintf("pod-%d-", f.rounds)
	f.begin(prefix)
	if err := f.createClaims(ctx, w.sharedClaims()); err != nil {
		return Round{}, err
	}
	// Garbage of earlier rounds must not count for this one.
	if err := f.collect(ctx); err != nil {
		return Round{}, err
	}
	f.take() // discard earlier requests
	counted, err := f.counts(ctx)
	if err != nil {
		return Round{}, err
	}
	before, err := f.spent()
	if err != nil {
		return Round{}, err
	}
	created, err := f.schedule(ctx, w, prefix)
	if err != nil {
		return Round{}, err
	}
	full, err := f.spent()
	if err != nil {
		return Round{}, err
	}
	deleted := time.Now()
	if err := f.remove(ctx); err != nil {
		return Round{}, err
	}
	after, err := f.spent()
	if err != nil {
		return Round{}, err
	}
	now, err := f.counts(ctx)
	if err != nil {
		return Round{}, err
	}
	round := f.latencies(created, deleted)
	f.costs(round.Values, float64(w.Pods), before, full, after)
	now.since(counted, f.take(), w, &round)
	return round, nil
}

func (f *fixture) createClaims(ctx context.Context, claims []*resourceapi.ResourceClaim) error {
	for _, claim := range claims {
		if _, err := f.client.ResourceV1().ResourceClaims(namespace).Create(ctx, claim, metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("create claim %s: %w", claim.Name, err)
		}
	}
	return nil
}

// schedule creates all pods, publishes late devices, and waits until all pods are scheduled. It
// returns the creation times, or the time of late devices.
func (f *fixture) schedule(ctx context.Context, w Workload, prefix string) (map[string]time.Time, error) {
	if w.Late {
		if err := f.publishAll(ctx, w, 0); err != nil {
			return nil, err
		}
	}
	ctx, stop := f.change(ctx, w)
	created, err := f.scheduled(ctx, w, prefix)
	return created, errors.Join(stop(), err)
}

// scheduled is schedule without the concurrent changes. A failed change cancels ctx.
func (f *fixture) scheduled(ctx context.Context, w Workload, prefix string) (map[string]time.Time, error) {
	created, err := f.create(ctx, w, prefix)
	if err != nil {
		return nil, err
	}
	if w.Late {
		if err := f.await(ctx, "pods to wait for devices", func() int { return w.Pods - f.numberWaiting() - f.numberScheduled() }); err != nil {
			return nil, err
		}
		if n := f.numberScheduled(); n > 0 {
			return nil, fmt.Errorf("%d pods were scheduled to devices that had been withdrawn", n)
		}
		for name := range created {
			created[name] = time.Now()
		}
		if err := f.publishAll(ctx, w, w.Devices); err != nil {
			return nil, err
		}
	}
	return created, f.await(ctx, "pods to be scheduled", func() int { return w.Pods - f.numberScheduled() })
}

// create creates all pods and returns the time of each request.
func (f *fixture) create(ctx context.Context, w Workload, prefix string) (map[string]time.Time, error) {
	limit := rate.Inf
	if w.PodsPerSecond > 0 {
		limit = rate.Limit(w.PodsPerSecond)
	}
	pace := rate.NewLimiter(limit, 1)
	created := make(map[string]time.Time, w.Pods)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(createdAtOnce)
	for i := range w.Pods {
		if err := pace.Wait(ctx); err != nil {
			break
		}
		pod := w.pod(prefix, i)
		created[pod.Name] = time.Now()
		group.Go(func() error { return create(ctx, f.client, namespace, pod) })
	}
	err := group.Wait()
	f.count("POST pods", len(created))
	if err == nil && len(created) < w.Pods {
		err = context.Cause(ctx)
	}
	return created, err
}

// remove deletes all objects of a round.
func (f *fixture) remove(ctx context.Context) error {
	now := metav1.DeleteOptions{GracePeriodSeconds: ptr.To[int64](0)}
	if err := f.client.CoreV1().Pods(namespace).DeleteCollection(ctx, now, metav1.ListOptions{}); err != nil {
		return fmt.Errorf("delete pods: %w", err)
	}
	f.count("DELETE pods", 1)
	if err := f.await(ctx, "pods to be gone", func() int { return len(f.podInformer.GetStore().ListKeys()) }); err != nil {
		return err
	}
	if err := f.client.ResourceV1().ResourceClaims(namespace).DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
		return fmt.Errorf("delete claims: %w", err)
	}
	f.count("DELETE resourceclaims", 1)
	// Handlers run after the store update.
	return f.await(ctx, "claims to be gone", func() int { return max(len(f.claimInformer.GetStore().ListKeys()), f.claimsThere()) })
}

// await waits until left returns 0.
func (f *fixture) await(ctx context.Context, what string, left func() int) error {
	ticker := time.NewTicker(lookAgain)
	defer ticker.Stop()
	for {
		n := left()
		if n == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for %s, %d are left: %w", what, n, context.Cause(ctx))
		case <-ticker.C:
		}
	}
}

func (f *fixture) costs(values map[Metric]float64, pods float64, before, full, after spent) {
	cpu := func(names ...string) (sum float64) {
		for _, name := range names {
			sum += after.cpu[name] - before.cpu[name]
		}
		return sum / pods
	}
	values[SchedulerCPU], values[ControllersCPU] = cpu(scheduler), cpu(controllers, ownControllers)
	values[APIServerCPU], values[EtcdCPU] = cpu(apiserver), cpu(etcd)
	values[SchedulerMemory], values[ControllersMemory] = full.rss[scheduler], full.rss[controllers]+full.rss[ownControllers]
	values[Others] = others(before, after)
}

// since adds the differences of counters to a round.
func (c *counts) since(before counts, ours map[string]int, w Workload, round *Round) {
	round.Writes = c.writesSince(before, ours, w.Pods)
	for _, n := range round.Writes {
		round.Values[Writes] += n
	}
	round.Plugin = c.pluginSince(before)
	round.Values[Bytes] = (c.bytes - before.bytes) / float64(w.Pods)
	round.Values[Requests] = (c.requests - before.requests - float64(sum(ours))) / float64(w.Pods)
}

func sum(ours map[string]int) (n int) {
	for _, times := range ours {
		n += times
	}
	return n
}
