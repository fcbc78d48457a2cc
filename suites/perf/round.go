package perf

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/time/rate"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/testbed"
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
)

// field is where rounds of one side take place.
type field struct {
	bed       *testbed.Testbed
	client    kubernetes.Interface
	version   string
	processes map[string]int
	factory   informers.SharedInformerFactory
	pods      cache.SharedIndexInformer
	claims    cache.SharedIndexInformer
	unwatch   context.CancelFunc

	mutex  sync.Mutex
	rounds int
	// prefix is how the names of the round's pods begin: events of an earlier one may come
	// late.
	prefix    string
	scheduled map[string]time.Time // by name of the pod
}

// watch follows pods and claims until close.
func (f *field) watch(ctx context.Context) error {
	f.factory = informers.NewSharedInformerFactoryWithOptions(f.client, 0, informers.WithNamespace(namespace))
	f.pods, f.claims = f.factory.Core().V1().Pods().Informer(), f.factory.Resource().V1().ResourceClaims().Informer()
	handler := cache.ResourceEventHandlerFuncs{AddFunc: f.see, UpdateFunc: func(_, o any) { f.see(o) }}
	if _, err := f.pods.AddEventHandler(handler); err != nil {
		return fmt.Errorf("watch pods: %w", err)
	}
	ctx, f.unwatch = context.WithCancel(ctx)
	f.factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), f.pods.HasSynced, f.claims.HasSynced) {
		return fmt.Errorf("watch pods and claims: %w", context.Cause(ctx))
	}
	return nil
}

// see remembers when a pod was scheduled.
func (f *field) see(o any) {
	now := time.Now()
	pod, ok := o.(*corev1.Pod)
	if !ok || pod.Spec.NodeName == "" {
		return
	}
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if _, known := f.scheduled[pod.Name]; !known && strings.HasPrefix(pod.Name, f.prefix) {
		f.scheduled[pod.Name] = now
	}
}

// close ends the watches, which would complain of the control plane's end, and removes
// the control plane.
func (f *field) close(ctx context.Context) error {
	if f.unwatch != nil {
		f.unwatch()
		f.factory.Shutdown()
	}
	return f.bed.Close(ctx, nil)
}

// round creates the pods of a workload, waits until all are scheduled, removes them and
// waits until they and their claims are gone.
func (f *field) round(ctx context.Context, w Workload) (map[Metric]float64, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, roundTime, fmt.Errorf("a round took longer than %s", roundTime))
	defer cancel()
	prefix := f.begin()
	for _, claim := range w.sharedClaims() {
		if _, err := f.client.ResourceV1().ResourceClaims(namespace).Create(ctx, claim, metav1.CreateOptions{}); err != nil {
			return nil, fmt.Errorf("create claim %s: %w", claim.Name, err)
		}
	}
	before, err := look(ctx, f.client, f.processes)
	if err != nil {
		return nil, err
	}
	created, err := f.create(ctx, w, prefix)
	if err != nil {
		return nil, err
	}
	if err := f.await(ctx, "pods to be scheduled", func() int { return w.Pods - f.numberScheduled() }); err != nil {
		return nil, err
	}
	full, err := look(ctx, f.client, f.processes)
	if err != nil {
		return nil, err
	}
	requests, err := f.remove(ctx)
	if err != nil {
		return nil, err
	}
	after, err := look(ctx, f.client, f.processes)
	if err != nil {
		return nil, err
	}
	values := f.latencies(created)
	f.costs(values, float64(w.Pods), before, full, after)
	values[Writes] = (after.writes - before.writes - float64(w.Pods+requests)) / float64(w.Pods)
	return values, nil
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
		group.Go(func() error {
			if _, err := f.client.CoreV1().Pods(namespace).Create(ctx, pod, metav1.CreateOptions{}); err != nil {
				return fmt.Errorf("create pod %s: %w", pod.Name, err)
			}
			return nil
		})
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

// latencies are the metrics by the clock.
func (f *field) latencies(created map[string]time.Time) map[Metric]float64 {
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
	return map[Metric]float64{
		PodsPerSecond: float64(len(created)) / last.Sub(first).Seconds(),
		ScheduledP50:  quantile(took, 0.5), ScheduledP90: quantile(took, 0.9), ScheduledP99: quantile(took, 0.99),
	}
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
