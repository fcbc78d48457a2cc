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
	"github.com/dra-conformance/dratest/framework/follow"
)

// readEvery is the interval between reads of all objects under load.
const readEvery = 3 * time.Second

// Watcher audits a namespace.
type Watcher struct {
	client kubernetes.Interface
	// Namespace and Driver are those of the pods.
	Namespace, Driver string
	retry             *retrier
	findings          *findings
	uses              *uses
	// Unpublished: the driver's devices are in no slices.
	Unpublished bool

	mutex  sync.Mutex
	slices []resourceapi.ResourceSlice
}

// NewWatcher returns a watcher keeping evidence in dir. It reports each violation, with its evidence file and the
// number of violations of its rule so far.
func NewWatcher(client kubernetes.Interface, namespace, driver, dir string, report func(v audit.Violation, file string, number int)) *Watcher {
	return &Watcher{
		client: client, Namespace: namespace, Driver: driver, retry: &retrier{}, uses: newUses(),
		findings: &findings{dir: dir, known: map[string]bool{}, report: report},
	}
}

// Problems are why the audit's result is limited.
func (w *Watcher) Problems() []string {
	w.findings.mutex.Lock()
	defer w.findings.mutex.Unlock()
	return slices.Clone(w.findings.problems)
}

// run audits until ctx ends: every state of the claims by a watch, and periodically the relations of pods and claims.
func (w *Watcher) run(ctx context.Context) {
	var all sync.WaitGroup
	all.Go(func() {
		follow.Follower[*resourceapi.ResourceClaim]{
			Source: follow.From[*resourceapi.ResourceClaim](w.client.ResourceV1().ResourceClaims(w.Namespace), metav1.ListOptions{}),
			Do:     w.retry.request,
			See:    func(s follow.State[*resourceapi.ResourceClaim]) { w.see(s.Objects, s.Listed) },
			Broke: func(err error, ended time.Time) {
				if w.retry.awaySince(ended) {
					w.findings.missed()
					return
				}
				w.findings.problem("the watch of claims broke, states may have been missed: %v", err)
			},
		}.Run(ctx)
	})
	all.Go(func() {
		wait.UntilWithContext(ctx, func(ctx context.Context) {
			if err := w.look(ctx); err != nil && ctx.Err() == nil {
				w.findings.problem("%v", err)
			}
		}, readEvery)
	})
	all.Wait()
}

// see audits one state of the claims.
func (w *Watcher) see(state map[types.UID]*resourceapi.ResourceClaim, _ time.Time) {
	w.uses.seeClaims(state)
	w.mutex.Lock()
	published := w.slices
	w.mutex.Unlock()
	all := make([]resourceapi.ResourceClaim, 0, len(state))
	for _, uid := range slices.Sorted(maps.Keys(state)) {
		all = append(all, *state[uid])
	}
	w.findings.add(w.devices(all, published))
	w.findings.mutex.Lock()
	w.findings.states++
	w.findings.mutex.Unlock()
}

// devices audits the devices of claims; a driver need not publish any.
func (w *Watcher) devices(claims []resourceapi.ResourceClaim, published []resourceapi.ResourceSlice) []audit.Violation {
	return slices.DeleteFunc(audit.Devices(claims, published), func(v audit.Violation) bool { return w.Unpublished && v.Rule == audit.UnknownDevice })
}

// look audits the relations of pods and claims valid at any time.
func (w *Watcher) look(ctx context.Context) error {
	_, _, err := w.confirmed(ctx, audit.Pods)
	return err
}

// confirmed adds the violations found by check in two reads without a change in between. clean reports whether the
// first read had no violation at all.
func (w *Watcher) confirmed(ctx context.Context, check func(audit.World) []audit.Violation) (found int, clean bool, err error) {
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
	w.findings.add(sure)
	return len(sure), !slices.ContainsFunc(first, grave), nil
}

// grave violations are no warnings.
func grave(v audit.Violation) bool { return !v.Rule.Warning() }

// read reads all objects, each kind for itself.
func (w *Watcher) read(ctx context.Context) (audit.World, error) {
	published, err := w.ListSlices(ctx)
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
	pods, err := w.ListPods(ctx)
	if err != nil {
		return audit.World{}, err
	}
	claims, err := w.ListClaims(ctx)
	if err != nil {
		return audit.World{}, err
	}
	w.mutex.Lock()
	w.slices = published
	w.mutex.Unlock()
	w.findings.mutex.Lock()
	w.findings.reads++
	w.findings.mutex.Unlock()
	return audit.World{Claims: claims, Slices: published, Pods: pods, Nodes: nodes.Items, Classes: classes.Items}, nil
}

// ListClaims lists the claims of the soak.
func (w *Watcher) ListClaims(ctx context.Context) ([]resourceapi.ResourceClaim, error) {
	list, err := listed(ctx, w.retry, w.client.ResourceV1().ResourceClaims(w.Namespace).List, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list claims: %w", err)
	}
	return list.Items, nil
}

// ListSlices lists the slices of the soak.
func (w *Watcher) ListSlices(ctx context.Context) ([]resourceapi.ResourceSlice, error) {
	list, err := listed(ctx, w.retry, w.client.ResourceV1().ResourceSlices().List, metav1.ListOptions{FieldSelector: resourceapi.ResourceSliceSelectorDriver + "=" + w.Driver})
	if err != nil {
		return nil, fmt.Errorf("list slices: %w", err)
	}
	return list.Items, nil
}

// ListPods lists the pods of the soak.
func (w *Watcher) ListPods(ctx context.Context) ([]corev1.Pod, error) {
	list, err := listed(ctx, w.retry, w.client.CoreV1().Pods(w.Namespace).List, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list pods: %w", err)
	}
	return list.Items, nil
}

// Findings adds violations.
func (w *Watcher) Findings(violations []audit.Violation) { w.findings.add(violations) }

// List lists objects of another kind, retrying until it succeeds.
func List[L any](ctx context.Context, w *Watcher, list func(context.Context, metav1.ListOptions) (L, error)) (L, error) {
	return listed(ctx, w.retry, list, metav1.ListOptions{})
}

// listed calls list until it succeeds.
func listed[L any](ctx context.Context, retry *retrier, list func(context.Context, metav1.ListOptions) (L, error), options metav1.ListOptions) (all L, err error) {
	err = retry.do(ctx, func(ctx context.Context) (err error) {
		all, err = list(ctx, options)
		return err
	}, nil)
	return all, err
}

// atRest checks the rules valid when all pods have ended.
func (w *Watcher) atRest(seen audit.World) []audit.Violation {
	return slices.Concat(w.devices(seen.Claims, seen.Slices), audit.Pods(seen), audit.Settled(seen), audit.Unended(seen.Pods), audit.Failed(seen.Pods))
}

// attempts bounds repeated reads of objects still changing after patience.
const attempts = 5

// settle waits until no rule for the state at rest is violated, and adds the violations left after patience.
func (w *Watcher) settle(ctx context.Context, patience time.Duration) error {
	// The error does not matter: the final state is read again below.
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
