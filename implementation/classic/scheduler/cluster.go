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

package scheduler

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"

	v1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	corelisters "k8s.io/client-go/listers/core/v1"
	resourcelisters "k8s.io/client-go/listers/resource/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/flowcontrol"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/dra-conformance/dratest/implementation/classic/api/v1alpha1"
	"github.com/dra-conformance/dratest/implementation/classic/client"
	"github.com/dra-conformance/dratest/implementation/controllers/loop"
)

// cluster is shared by all profiles of a scheduler: classic DRA's objects, running negotiations,
// and how to wake pods.
type cluster struct {
	classic  client.Interface
	dra      fwk.SharedDRAManager
	activate func(map[string]*v1.Pod)
	// background starts a goroutine ending with the plugin.
	background func(func(context.Context))

	pods        corelisters.PodLister
	claims      resourcelisters.ResourceClaimLister
	classes     cache.SharedIndexInformer
	schedulings cache.SharedIndexInformer
	records     cache.SharedIndexInformer
	synced      []cache.DoneChecker

	mu     sync.Mutex
	talks  map[types.UID]*talk // by pod
	random *rand.Rand
	// changes counts class events: an attempt's unsuitable nodes are ignored if it began before the
	// last event.
	changes int
	// slots limits concurrent requests, delays are the backoff after failures.
	slots  chan struct{}
	delays *flowcontrol.Backoff
}

// follow starts informers of classic DRA's objects until ctx ends. activate makes the scheduler
// retry pods.
func follow(ctx context.Context, classic client.Interface, factory informers.SharedInformerFactory, dra fwk.SharedDRAManager, random *rand.Rand, activate func(map[string]*v1.Pod)) (*cluster, error) {
	pods := factory.Core().V1().Pods()
	c := &cluster{
		classic: classic, dra: dra, activate: activate, background: func(do func(context.Context)) { go do(ctx) },
		pods: pods.Lister(), claims: factory.Resource().V1().ResourceClaims().Lister(),
		classes:     client.Informer(classic, classic.ResourceClasses(), &v1alpha1.ResourceClass{}),
		schedulings: client.Informer(classic, classic.PodSchedulings(""), &v1alpha1.PodScheduling{}),
		records:     client.Informer(classic, classic.ClassicClaims(""), &v1alpha1.ClassicClaim{}),
		talks:       make(map[types.UID]*talk), random: random,
		slots: make(chan struct{}, askedAtOnce), delays: flowcontrol.NewBackOff(firstDelay, lastDelay),
	}
	var errs []error
	for _, follow := range []struct {
		informer cache.SharedIndexInformer
		handler  cache.ResourceEventHandler
	}{
		{c.classes, loop.Changes(c.onClass)},
		{c.schedulings, loop.Changes(c.onScheduling)},
		{c.records, loop.Changes(c.onRecord)},
	} {
		registration, err := follow.informer.AddEventHandler(follow.handler)
		errs = append(errs, err)
		if err == nil {
			c.synced = append(c.synced, registration.HasSyncedChecker())
		}
	}
	_, err := pods.Informer().AddEventHandler(loop.Changes(func(pod, updated *v1.Pod) {
		if updated == nil {
			c.forget(pod.UID)
		}
	}))
	if err := errors.Join(append(errs, err)...); err != nil {
		return nil, fmt.Errorf("follow objects of classic DRA: %w", err)
	}
	for _, informer := range []cache.SharedIndexInformer{c.classes, c.schedulings, c.records} {
		go informer.RunWithContext(ctx)
	}
	go func() {
		if cache.WaitFor(ctx, "objects of classic DRA", c.synced...) {
			c.wakeAll()
		}
	}()
	return c, nil
}

// ready reports whether the initial objects are known. If they are not served, it is never ready.
func (c *cluster) ready() bool {
	for _, synced := range c.synced {
		if !cache.IsDone(synced) {
			return false
		}
	}
	return true
}

// onClass wakes the pods with claims of a class, even during the drivers' turn: the selected node
// may no longer suit the class, and drivers do not check that. Any node may be suitable now,
// including rejected ones.
func (c *cluster) onClass(old, updated *v1alpha1.ResourceClass) {
	class := cmp.Or(updated, old)
	c.mu.Lock()
	c.changes++
	c.mu.Unlock()
	for _, pod := range c.unbound("") {
		claims := c.claimsOf(pod)
		if usable(pod, claims) && slices.ContainsFunc(claims, func(claim *podClaim) bool { return claim.request.ResourceClass == class.Name }) {
			c.remember(pod, func(t *talk) { t.rejected, t.stuck = nil, nil })
			c.try(pod)
		}
	}
}

// onScheduling wakes a pod after drivers have answered, or its PodScheduling was deleted. The
// scheduler's own writes wake nobody.
func (c *cluster) onScheduling(before, after *v1alpha1.PodScheduling) {
	if after == nil {
		c.forgetScheduling(before)
		c.wake(before.Namespace, before.Name)
		return
	}
	if before != nil && before.UID == after.UID && apiequality.Semantic.DeepEqual(before.Status, after.Status) {
		return
	}
	c.wake(after.Namespace, after.Name)
}

// onRecord wakes the pods of a claim when a deallocation request ends: pods without a reservation
// wait for that.
func (c *cluster) onRecord(before, after *v1alpha1.ClassicClaim) {
	if before == nil || !before.Spec.DeallocationRequested || after != nil && after.UID == before.UID {
		return
	}
	for _, pod := range c.unbound(before.Namespace) {
		for i := range pod.Spec.ResourceClaims {
			if c.nameOf(pod, &pod.Spec.ResourceClaims[i]) == before.Name {
				c.wake(pod.Namespace, pod.Name)
			}
		}
	}
}

// wakeAll retries all pods with classic claims after the first read: pods that still cannot be
// scheduled get their own reason instead of the missing read.
func (c *cluster) wakeAll() {
	for _, pod := range c.unbound("") {
		if len(c.claimsOf(pod)) > 0 {
			c.try(pod)
		}
	}
}

// wake retries a pod if worthwhile.
func (c *cluster) wake(namespace, name string) {
	pod, err := c.pods.Pods(namespace).Get(name)
	if err != nil || pod.Spec.NodeName != "" || !c.worthTrying(pod) {
		return
	}
	c.try(pod)
}

func (c *cluster) try(pod *v1.Pod) {
	c.activate(map[string]*v1.Pod{pod.Namespace + "/" + pod.Name: pod})
}

// unbound returns unbound pods with claims, of a namespace unless it is empty.
func (c *cluster) unbound(namespace string) []*v1.Pod {
	// Listing everything from a cache cannot fail.
	all, _ := c.pods.Pods(namespace).List(labels.Everything())
	var pods []*v1.Pod
	for _, pod := range all {
		if pod.Spec.NodeName == "" && len(pod.Spec.ResourceClaims) > 0 {
			pods = append(pods, pod)
		}
	}
	return pods
}

// cached returns a cached object, or the zero value.
func cached[T any](informer cache.SharedIndexInformer, namespace, name string) T {
	// Cache keys are never malformed.
	object, _, _ := informer.GetIndexer().GetByKey(cache.NewObjectName(namespace, name).String())
	typed, _ := object.(T)
	return typed
}
