package tainteviction

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	resourcelisters "k8s.io/client-go/listers/resource/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"

	"github.com/dra-conformance/dratest/implementation/controllers/loop"
)

// Name is the controller's name in --controllers, in its metrics, as the source of its
// events and as the field manager of what it writes.
const Name = "device-taint-eviction-controller"

// Config says what a controller does. The zero value works.
type Config struct {
	// NoRules is for API servers without DeviceTaintRules: only taints in slices count.
	NoRules bool
}

// Controller evicts pods. See the package's documentation.
type Controller struct {
	*loop.Loop[item]
	client     kubernetes.Interface
	pods       corelisters.PodLister
	claims     resourcelisters.ResourceClaimLister
	claimIndex cache.Indexer
	slices     resourcelisters.ResourceSliceLister
	// rules is nil with Config.NoRules.
	rules   resourcelisters.DeviceTaintRuleLister
	state   *state
	metrics *controllerMetrics

	// events is set by Run.
	events record.EventRecorder
}

// item is a pod or a rule that has to be looked at.
type item struct {
	Kind itemKind
	Name cache.ObjectName
	// UID makes sure that nothing is done to a successor of the same name.
	UID types.UID
}

// String is for logs.
func (i item) String() string { return fmt.Sprintf("%s %s (%s)", i.Kind, i.Name, i.UID) }

type itemKind string

const (
	podItem  itemKind = "pod"
	ruleItem itemKind = "rule"
)

// New makes a controller that watches through a factory, which has to be started
// after New and before Run. Errors: indices or handlers that an informer refuses
// because it was started or stopped.
func New(ctx context.Context, client kubernetes.Interface, factory informers.SharedInformerFactory, config Config) (*Controller, error) {
	pods, resources := factory.Core().V1().Pods(), factory.Resource().V1()
	claims, slices := resources.ResourceClaims(), resources.ResourceSlices()
	c := &Controller{
		Loop:       loop.New[item](Name),
		client:     client,
		pods:       pods.Lister(),
		claims:     claims.Lister(),
		claimIndex: claims.Informer().GetIndexer(),
		slices:     slices.Lister(),
		state:      newState(),
		metrics:    newMetrics(),
	}
	errs := []error{
		claims.Informer().AddIndexers(cache.Indexers{claimsByPool: indexByPool}),
		c.Watch(ctx, pods.Informer(), loop.Objects(c.podChanged, func(pod *corev1.Pod) { c.state.cancel(pod.UID) })),
		c.Watch(ctx, claims.Informer(), loop.Changes(func(old, updated *resourceapi.ResourceClaim) {
			c.concern(old)
			c.concern(updated)
		})),
		c.Watch(ctx, slices.Informer(), loop.Changes(c.sliceChanged)),
	}
	if !config.NoRules {
		rules := resources.DeviceTaintRules()
		c.rules = rules.Lister()
		errs = append(errs, c.Watch(ctx, rules.Informer(), loop.Changes(c.ruleChanged)))
	}
	if err := errors.Join(errs...); err != nil {
		c.Queue.ShutDown()
		return nil, fmt.Errorf("set up %s: %w", Name, err)
	}
	return c, nil
}

// Run works with so many workers until ctx ends, and returns when they have stopped.
// Calls that are under way then are cut off: a successor finds what they have done.
func (c *Controller) Run(ctx context.Context, workers int) {
	events, stop := loop.Events(ctx, c.client, Name)
	defer stop()
	c.events = events
	c.Loop.Run(ctx, workers, func(ctx context.Context, i item) (time.Duration, error) {
		if i.Kind == podItem {
			return c.syncPod(ctx, i)
		}
		return c.syncRule(ctx, i)
	})
}
