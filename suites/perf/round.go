package perf

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/time/rate"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

const (
	// createdAtOnce is how many requests to create pods are under way.
	createdAtOnce = 16
	// roundTime bounds a round; a scheduler that stands still is not waited for longer.
	roundTime = 10 * time.Minute
	// lookAgain is how often what is waited for is looked at in the watch's cache. Times of
	// pods do not depend on it.
	lookAgain = 20 * time.Millisecond
	namespace = metav1.NamespaceDefault
	// runningNamespace has the pods that run all the time.
	runningNamespace = "running"
)

// round creates the pods of a workload, waits until all are scheduled, removes them and
// waits until they and their claims are gone.
func (f *field) round(ctx context.Context, w Workload) (Round, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, roundTime, fmt.Errorf("a round took longer than %s", roundTime))
	defer cancel()
	prefix := f.begin()
	for _, claim := range w.sharedClaims() {
		if _, err := f.client.ResourceV1().ResourceClaims(namespace).Create(ctx, claim, metav1.CreateOptions{}); err != nil {
			return Round{}, fmt.Errorf("create claim %s: %w", claim.Name, err)
		}
	}
	before, err := look(ctx, f.client, f.processes)
	if err != nil {
		return Round{}, err
	}
	created, err := f.create(ctx, w, prefix)
	if err != nil {
		return Round{}, err
	}
	if err := f.await(ctx, "pods to be scheduled", func() int { return w.Pods - f.numberScheduled() }); err != nil {
		return Round{}, err
	}
	full, err := look(ctx, f.client, f.processes)
	if err != nil {
		return Round{}, err
	}
	requests, err := f.remove(ctx)
	if err != nil {
		return Round{}, err
	}
	after, err := look(ctx, f.client, f.processes)
	if err != nil {
		return Round{}, err
	}
	round := f.latencies(created)
	f.costs(round.Values, float64(w.Pods), before, full, after)
	round.Values[Writes] = (after.writes - before.writes - float64(w.Pods+requests)) / float64(w.Pods)
	return round, nil
}

// begin forgets the round before, and says how the names of this one's pods begin.
func (f *field) begin() string {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.rounds++
	f.prefix = fmt.Sprintf("pod-%d-", f.rounds)
	clear(f.scheduled)
	return f.prefix
}

// create creates all pods and returns when each was asked for.
func (f *field) create(ctx context.Context, w Workload, prefix string) (map[string]time.Time, error) {
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
	if err == nil && len(created) < w.Pods {
		err = context.Cause(ctx)
	}
	return created, err
}

func (f *field) numberScheduled() int {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return len(f.scheduled)
}

// remove removes what a round made, and says how many requests that took.
func (f *field) remove(ctx context.Context) (requests int, err error) {
	now := metav1.DeleteOptions{GracePeriodSeconds: ptr.To[int64](0)}
	if err := f.client.CoreV1().Pods(namespace).DeleteCollection(ctx, now, metav1.ListOptions{}); err != nil {
		return 0, fmt.Errorf("delete pods: %w", err)
	}
	if err := f.await(ctx, "pods to be gone", func() int { return len(f.pods.GetStore().ListKeys()) }); err != nil {
		return 0, err
	}
	if err := f.client.ResourceV1().ResourceClaims(namespace).DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
		return 0, fmt.Errorf("delete claims: %w", err)
	}
	return 2, f.await(ctx, "claims to be gone", func() int { return len(f.claims.GetStore().ListKeys()) })
}

// await waits until nothing is left.
func (f *field) await(ctx context.Context, what string, left func() int) error {
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

// latencies are a round with what is measured by the clock.
func (f *field) latencies(created map[string]time.Time) Round {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	var took []float64
	var first, last time.Time
	for name, at := range created {
		if first.IsZero() || at.Before(first) {
			first = at
		}
		if f.scheduled[name].After(last) {
			last = f.scheduled[name]
		}
		took = append(took, f.scheduled[name].Sub(at).Seconds())
	}
	slices.Sort(took)
	return Round{Latencies: took, Values: map[Metric]float64{
		PodsPerSecond: float64(len(created)) / last.Sub(first).Seconds(),
		ScheduledP50:  quantile(took, 0.5), ScheduledP90: quantile(took, 0.9), ScheduledP99: quantile(took, 0.99),
	}}
}

// quantile is the smallest value that at least the part q of sorted is not above.
func quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[max(0, int(math.Ceil(q*float64(len(sorted))))-1)]
}

func (f *field) costs(values map[Metric]float64, pods float64, before, full, after usage) {
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
