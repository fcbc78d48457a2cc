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

package resourceclaim

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	resourcelisters "k8s.io/client-go/listers/resource/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"

	"github.com/dra-conformance/dratest/implementation/controllers/loop"
)

// Name is the controller's name in --controllers.
const Name = "resourceclaim-controller"

// Public names: of the queue in metrics, and of the event source.
const (
	queueName = "resource_claim"
	component = "resource_claim"
)

// Controller manages the ResourceClaims of pods. See the package documentation.
type Controller struct {
	*loop.Loop[item]
	client     kubernetes.Interface
	pods       corelisters.PodLister
	podIndex   cache.Indexer
	claims     resourcelisters.ResourceClaimLister
	claimIndex cache.Indexer
	templates  resourcelisters.ResourceClaimTemplateLister
	created    *createdClaims
	deleted    *deletedPods
	metrics    *controllerMetrics

	// events is set by Run.
	events record.EventRecorder
}

type item struct {
	Kind itemKind
	Name cache.ObjectName
}

// String formats an item for logs.
func (i item) String() string { return fmt.Sprintf("%s %s", i.Kind, i.Name) }

type itemKind string

const (
	podItem   itemKind = "pod"
	claimItem itemKind = "claim"
)

// New makes a controller using a factory to be started between New and Run. It returns an error if
// an informer rejects indices or handlers because it was started or stopped.
func New(ctx context.Context, client kubernetes.Interface, factory informers.SharedInformerFactory) (*Controller, error) {
	pods, claims, templates := factory.Core().V1().Pods(), factory.Resource().V1().ResourceClaims(), factory.Resource().V1().ResourceClaimTemplates()
	c := &Controller{
		Loop:       loop.New[item](queueName),
		client:     client,
		pods:       pods.Lister(),
		podIndex:   pods.Informer().GetIndexer(),
		claims:     claims.Lister(),
		claimIndex: claims.Informer().GetIndexer(),
		templates:  templates.Lister(),
		created:    newCreatedClaims(),
		deleted:    newDeletedPods(),
		metrics:    newMetrics(),
	}
	if err := errors.Join(
		pods.Informer().AddIndexers(cache.Indexers{podsByClaim: indexByClaim, podsByTemplate: indexByTemplate}),
		claims.Informer().AddIndexers(cache.Indexers{claimsByPod: indexByOwner}),
		c.Watch(ctx, pods.Informer(), loop.Objects(c.podChanged, c.podDeleted)),
		c.Watch(ctx, claims.Informer(), loop.Objects(c.claimChanged, c.claimDeleted)),
		c.Watch(ctx, templates.Informer(), loop.Objects(c.templateChanged, nil)),
	); err != nil {
		c.Queue.ShutDown()
		return nil, fmt.Errorf("set up %s: %w", Name, err)
	}
	return c, nil
}

// Run runs the workers until ctx ends and waits for them. Calls in flight are canceled; a successor
// finds their effects.
func (c *Controller) Run(ctx context.Context, workers int) {
	events, stop := loop.Events(ctx, c.client, component)
	defer stop()
	c.events = events
	c.Loop.Run(ctx, workers, func(ctx context.Context, i item) (time.Duration, error) {
		if i.Kind == podItem {
			return 0, c.syncPod(ctx, i.Name)
		}
		return 0, c.syncClaim(ctx, i.Name)
	})
}
