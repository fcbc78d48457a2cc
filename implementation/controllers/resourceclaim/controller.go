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

// Names that others see: the queue's in its metrics, and the source of events.
const (
	queueName = "resource_claim"
	component = "resource_claim"
)

// Controller gives pods their ResourceClaims. See the package's documentation.
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

// item is a pod or a claim that has to be looked at.
type item struct {
	Kind itemKind
	Name cache.ObjectName
}

// String is for logs.
func (i item) String() string { return fmt.Sprintf("%s %s", i.Kind, i.Name) }

type itemKind string

const (
	podItem   itemKind = "pod"
	claimItem itemKind = "claim"
)

// New makes a controller that watches through a factory, which has to be started
// after New and before Run. Errors: indices or handlers that an informer refuses
// because it was started or stopped.
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

// Run works with so many workers until ctx ends, and returns when they have stopped.
// Calls that are under way then are cut off: a successor finds what they have done.
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
