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

package controller

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	resourcelisters "k8s.io/client-go/listers/resource/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/klog/v2"

	"github.com/dra-conformance/dratest/implementation/classic/api/v1alpha1"
	"github.com/dra-conformance/dratest/implementation/classic/client"
	"github.com/dra-conformance/dratest/implementation/controllers/loop"
)

// recheck is the period of asking a driver for unsuitable nodes while a pod waits: its free
// resources change without an event.
const recheck = 30 * time.Second

// afterFreed is the delay before asking a driver about nodes after it freed a resource. It combines
// all resources freed meanwhile, also with many waiting pods.
const afterFreed = time.Second

// written is the number of objects of a kind kept after writing them.
const written = 1000

// Controller allocates the claims of one driver. See the package documentation.
type Controller struct {
	*loop.Loop[item]
	name    string
	driver  Driver
	kube    kubernetes.Interface
	classic client.Interface
	metrics *controllerMetrics

	pods          corelisters.PodLister
	podIndex      cache.Indexer
	claims        resourcelisters.ResourceClaimLister
	deviceClasses resourcelisters.DeviceClassLister
	classes       cache.SharedIndexInformer
	schedulings   cache.SharedIndexInformer
	records       cache.SharedIndexInformer
	// latestClaims and latestSchedulings are from informers or, if newer, from this controller's
	// own writes: planning from stale objects costs rejected requests.
	latestClaims, latestSchedulings cache.MutationCache

	// events is set by Run.
	events record.EventRecorder
}

// item is a claim or PodScheduling to sync.
type item struct {
	Kind itemKind
	Name cache.ObjectName
}

// String formats an item for logs.
func (i item) String() string { return fmt.Sprintf("%s %s", i.Kind, i.Name) }

type itemKind string

const (
	claimItem      itemKind = "claim"
	schedulingItem itemKind = "scheduling"
)

// New makes the controller of a driver with the name used in ResourceClasses. Start the factory
// between New and Run. It returns an error if an informer rejects indices or handlers because it
// was started or stopped.
func New(ctx context.Context, name string, driver Driver, kube kubernetes.Interface, classic client.Interface, factory informers.SharedInformerFactory) (*Controller, error) {
	pods, claims, deviceClasses := factory.Core().V1().Pods(), factory.Resource().V1().ResourceClaims(), factory.Resource().V1().DeviceClasses()
	c := &Controller{
		Loop: loop.New[item]("classic_" + name), name: name, driver: driver, kube: kube, classic: classic, metrics: newMetrics(),
		pods: pods.Lister(), podIndex: pods.Informer().GetIndexer(), claims: claims.Lister(), deviceClasses: deviceClasses.Lister(),
		classes:     client.Informer(classic, classic.ResourceClasses(), &v1alpha1.ResourceClass{}),
		schedulings: client.Informer(classic, classic.PodSchedulings(""), &v1alpha1.PodScheduling{}),
		records:     client.Informer(classic, classic.ClassicClaims(""), &v1alpha1.ClassicClaim{}),
	}
	latest := func(informer cache.SharedIndexInformer) cache.MutationCache {
		return cache.NewIntegerResourceVersionMutationCacheWithOptions(klog.FromContext(ctx), informer.GetStore(), cache.MutationCacheOptions{MaxCacheSize: written})
	}
	c.latestClaims, c.latestSchedulings = latest(claims.Informer()), latest(c.schedulings)
	if err := errors.Join(
		pods.Informer().AddIndexers(cache.Indexers{podsByClaim: indexByClaim}),
		c.Watch(ctx, pods.Informer(), loop.Objects(c.podChanged, c.podChanged)),
		c.Watch(ctx, claims.Informer(), loop.Objects(c.claimChanged, c.claimChanged)),
		c.Watch(ctx, deviceClasses.Informer(), loop.Changes(func(_, _ *resourceapi.DeviceClass) { c.classesChanged() })),
		c.Watch(ctx, c.classes, loop.Changes(func(_, _ *v1alpha1.ResourceClass) { c.classesChanged() })),
		c.Watch(ctx, c.schedulings, loop.Objects(c.schedulingChanged, c.schedulingChanged)),
		c.Watch(ctx, c.records, loop.Objects(c.recordChanged, c.recordChanged)),
	); err != nil {
		c.Queue.ShutDown()
		return nil, fmt.Errorf("set up controller of driver %s: %w", name, err)
	}
	return c, nil
}

// Run runs the workers until ctx ends and waits for them. Calls in flight are canceled; a successor
// finds their effects.
func (c *Controller) Run(ctx context.Context, workers int) {
	events, stop := loop.Events(ctx, c.kube, "resource driver "+c.name)
	defer stop()
	c.events = events
	var watches sync.WaitGroup
	defer watches.Wait()
	for _, informer := range []cache.SharedIndexInformer{c.classes, c.schedulings, c.records} {
		watches.Go(func() { informer.RunWithContext(ctx) })
	}
	c.Loop.Run(ctx, workers, func(ctx context.Context, i item) (time.Duration, error) {
		if i.Kind == schedulingItem {
			return c.syncScheduling(ctx, i.Name)
		}
		return 0, c.syncClaim(ctx, i.Name)
	})
}

// failed reports an error to users in an event, and returns it.
func (c *Controller) failed(claim *Claim, err error) error {
	c.events.Event(claim.Claim, corev1.EventTypeWarning, "Failed", err.Error())
	return err
}
