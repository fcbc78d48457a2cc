package soak

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"

	"github.com/dra-conformance/dratest/framework/audit"
)

// readEvery is the time between two reads of all objects under load.
const readEvery = 3 * time.Second

// watcher audits a namespace.
type watcher struct {
	client    kubernetes.Interface
	namespace string
	driver    string
	retry     *retrier
	ledger    *ledger
	uses      *uses
	// unpublished: the driver's devices are in no slices.
	unpublished bool

	mutex  sync.Mutex
	slices []resourceapi.ResourceSlice
}

// run audits until ctx ends: every state of the claims by a watch, and now and
// then what pods and claims say about each other.
func (w *watcher) run(ctx context.Context) {
	var all sync.WaitGroup
	all.Go(func() {
		follow(ctx, claims(w.client, w.namespace), w.retry, w.see, func(err error, ended time.Time) {
			if w.retry.awaySince(ended) {
				w.ledger.missed()
				return
			}
			w.ledger.problem("the watch of claims broke, so that states may have been missed: %v", err)
		})
	})
	all.Go(func() {
		wait.UntilWithContext(ctx, func(ctx context.Context) {
			if err := w.look(ctx); err != nil && ctx.Err() == nil {
				w.ledger.problem("%v", err)
			}
		}, readEvery)
	})
	all.Wait()
}

// see audits one state of the claims.
func (w *watcher) see(state map[types.UID]*resourceapi.ResourceClaim, _ time.Time) {
	w.uses.seeClaims(state)
	w.mutex.Lock()
	published := w.slices
	w.mutex.Unlock()
	all := make([]resourceapi.ResourceClaim, 0, len(state))
	for _, uid := range slices.Sorted(maps.Keys(state)) {
		all = append(all, *state[uid])
	}
	w.ledger.add(w.devices(all, published))
	w.ledger.mutex.Lock()
	w.ledger.states++
	w.ledger.mutex.Unlock()
}

// devices audits the devices of claims, of which a driver need not publish any.
func (w *watcher) devices(claims []resourceapi.ResourceClaim, published []resourceapi.ResourceSlice) []audit.Violation {
	return slices.DeleteFunc(audit.Devices(claims, published), func(v audit.Violation) bool { return w.unpublished && v.Rule == audit.UnknownDevice })
}

// look audits what has to hold between pods and claims at any time.
func (w *watcher) look(ctx context.Context) error {
	_, _, err := w.confirmed(ctx, audit.Pods)
	return err
}

// confirmed adds what check finds in two reads without a change between them.
// clean is whether the first read had no violation at all.
func (w *watcher) confirmed(ctx context.Context, check func(audit.World) []audit.Violation) (found int, clean bool, err error) {
	world, err := w.read(ctx)
	if err != nil {
		return 0, false, err
	}
	first := check(world)
	if len(first) == 0 {
		return 0, true, nil
	}
	if world, err = w.read(ctx); err != nil {
		return 0, false, err
	}
	sure := audit.Confirm(first, check(world))
	w.ledger.add(sure)
	return len(sure), !slices.ContainsFunc(first, grave), nil
}

// grave violations are no warnings.
func grave(v audit.Violation) bool { return !v.Rule.Warning() }

// read reads all objects, each kind for itself.
func (w *watcher) read(ctx context.Context) (audit.World, error) {
	published, err := w.listSlices(ctx)
	if err != nil {
		return audit.World{}, err
	}
	nodes, err := listed(ctx, w.retry, w.client.CoreV1().Nodes().List, metav1.ListOptions{})
	if err != nil {
		return audit.World{}, fmt.Errorf("list nodes: %w", err)
	}
	classes, err := listed(ctx, w.retry, w.client.ResourceV1().DeviceClasses().List, metav1.ListOptions{})
	if err != nil {
		return audit.World{}, fmt.Errorf("list classes: %w", err)
	}
	pods, err := w.listPods(ctx)
	if err != nil {
		return audit.World{}, err
	}
	claims, err := w.listClaims(ctx)
	if err != nil {
		return audit.World{}, err
	}
	w.mutex.Lock()
	w.slices = published
	w.mutex.Unlock()
	w.ledger.mutex.Lock()
	w.ledger.reads++
	w.ledger.mutex.Unlock()
	return audit.World{Claims: claims, Slices: published, Pods: pods, Nodes: nodes.Items, Classes: classes.Items}, nil
}

func (w *watcher) listClaims(ctx context.Context) ([]resourceapi.ResourceClaim, error) {
	list, err := listed(ctx, w.retry, w.client.ResourceV1().ResourceClaims(w.namespace).List, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list claims: %w", err)
	}
	return list.Items, nil
}

func (w *watcher) listSlices(ctx context.Context) ([]resourceapi.ResourceSlice, error) {
	list, err := listed(ctx, w.retry, w.client.ResourceV1().ResourceSlices().List, metav1.ListOptions{FieldSelector: resourceapi.ResourceSliceSelectorDriver + "=" + w.driver})
	if err != nil {
		return nil, fmt.Errorf("list slices: %w", err)
	}
	return list.Items, nil
}

func (w *watcher) listPods(ctx context.Context) ([]corev1.Pod, error) {
	list, err := listed(ctx, w.retry, w.client.CoreV1().Pods(w.namespace).List, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list pods: %w", err)
	}
	return list.Items, nil
}

// listed is what list returns, as soon as it does.
func listed[L any](ctx context.Context, retry *retrier, list func(context.Context, metav1.ListOptions) (L, error), options metav1.ListOptions) (all L, err error) {
	err = retry.do(ctx, func(ctx context.Context) (err error) {
		all, err = list(ctx, options)
		return err
	}, nil)
	return all, err
}

// atRest is what has to hold when all pods have ended.
func (w *watcher) atRest(seen audit.World) []audit.Violation {
	return slices.Concat(w.devices(seen.Claims, seen.Slices), audit.Pods(seen), audit.Settled(seen), audit.Unended(seen.Pods), audit.Failed(seen.Pods))
}

// attempts is how often objects that still change after patience are read again.
const attempts = 5

// settle waits until nothing that has to hold at rest is violated, and adds what
// is after patience.
func (w *watcher) settle(ctx context.Context, patience time.Duration) error {
	// How this ends makes no difference: what counts is read again below.
	_ = wait.PollUntilContextTimeout(ctx, time.Second, patience, true, func(ctx context.Context) (bool, error) {
		world, err := w.read(ctx)
		return err == nil && !slices.ContainsFunc(w.atRest(world), grave), nil
	})
	for range attempts {
		found, clean, err := w.confirmed(ctx, w.atRest)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil || clean || found > 0 {
			return err
		}
	}
	return fmt.Errorf("objects still change %s after the last pod has ended", patience)
}
