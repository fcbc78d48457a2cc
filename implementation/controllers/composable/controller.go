package composable

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	resourceinformers "k8s.io/client-go/informers/resource/v1"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	resourcelisters "k8s.io/client-go/listers/resource/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"

	"github.com/dra-conformance/dratest/implementation/controllers/loop"
	"github.com/dra-conformance/dratest/implementation/fabricplan"
)

// Name is the controller's name in --controllers, in its metrics and as the source of its
// events.
const Name = "composable-controller"

// Fabric is what stands behind devices. Errors are those that trying again may help
// against; what the fabric refuses is an Answer.
type Fabric interface {
	Inventory(context.Context) (fabricplan.Inventory, error)
	Attach(context.Context, fabricplan.Attach) (fabricplan.Answer, error)
	// Detach does not wait. A device that is not attached with the key any more is no error.
	Detach(context.Context, fabricplan.Detach) error
}

// Config says what a controller does.
type Config struct {
	fabricplan.Config
	// Refresh is the time between two looks at the fabric.
	Refresh time.Duration
	// RefreshAfterActs has the controller look also after it has attached or detached a
	// device.
	RefreshAfterActs bool
}

const (
	// pollPeriod is the time between two looks at a task of the fabric.
	pollPeriod = 200 * time.Millisecond
	// retryPeriod is after how long a fabric that did not answer is asked again, and
	// permissions that were missing are tried again.
	retryPeriod = time.Second
)

// Controller works for one fabric. See the package's documentation.
type Controller struct {
	*loop.Loop[item]
	client     kubernetes.Interface
	fabric     Fabric
	config     Config
	claims     resourcelisters.ResourceClaimLister
	claimIndex cache.Indexer
	slices     resourcelisters.ResourceSliceLister
	rules      resourcelisters.DeviceTaintRuleLister
	nodes      corelisters.NodeLister
	metrics    *controllerMetrics

	// events is set by Run.
	events record.EventRecorder

	mu   sync.Mutex
	dead map[string]bool
	// What follows only the one worker at refresh has. idle is since when devices are, leaving
	// are those that were given back and are still attached, hurried is how many looks in a
	// row have followed each other quickly.
	idle    map[string]time.Time
	leaving map[fabricplan.Detach]bool
	hurried int
}

// item is a claim that has to be looked at, or without a name the fabric.
type item struct{ Claim cache.ObjectName }

// String is for logs.
func (i item) String() string {
	if i == (item{}) {
		return "fabric"
	}
	return "claim " + i.Claim.String()
}

// New makes a controller that watches through a factory, which has to be started after
// New and before Run. Errors: what is wrong with the configuration; indices or handlers
// that an informer refuses because it was started or stopped.
func New(ctx context.Context, client kubernetes.Interface, factory informers.SharedInformerFactory, fabric Fabric, config Config) (*Controller, error) {
	if err := config.Validate(); err != nil {
		return nil, fmt.Errorf("set up %s: %w", Name, err)
	}
	resources := factory.Resource().V1()
	claims, rules, nodes := resources.ResourceClaims(), resources.DeviceTaintRules(), factory.Core().V1().Nodes()
	slices := factory.InformerFor(&resourceapi.ResourceSlice{}, func(client kubernetes.Interface, resync time.Duration) cache.SharedIndexInformer {
		return resourceinformers.NewFilteredResourceSliceInformer(client, resync, cache.Indexers{}, func(o *metav1.ListOptions) {
			o.FieldSelector = resourceapi.ResourceSliceSelectorDriver + "=" + config.Driver
		})
	})
	c := &Controller{
		Loop: loop.New[item](Name), client: client, fabric: fabric, config: config, metrics: newMetrics(), leaving: map[fabricplan.Detach]bool{},
		claims: claims.Lister(), claimIndex: claims.Informer().GetIndexer(), rules: rules.Lister(), nodes: nodes.Lister(),
		slices: resourcelisters.NewResourceSliceLister(slices.GetIndexer()),
	}
	errs := []error{
		claims.Informer().AddIndexers(cache.Indexers{claimsThatWait: c.indexWaiting}),
		c.Watch(ctx, claims.Informer(), loop.Objects(c.claimChanged, nil)),
		c.Watch(ctx, slices, loop.Objects(c.sliceChanged, nil)),
		// For the caches alone.
		c.Watch(ctx, rules.Informer(), cache.ResourceEventHandlerFuncs{}),
		c.Watch(ctx, nodes.Informer(), cache.ResourceEventHandlerFuncs{}),
	}
	if err := errors.Join(errs...); err != nil {
		c.Queue.ShutDown()
		return nil, fmt.Errorf("set up %s: %w", Name, err)
	}
	c.Queue.Add(item{})
	return c, nil
}

// claimsThatWait is an index of the claims with slots of which the scheduler does not
// know enough. It has one key.
const claimsThatWait = "waiting"

func (c *Controller) indexWaiting(object any) ([]string, error) {
	if c.config.Waits(object.(*resourceapi.ResourceClaim)) {
		return []string{claimsThatWait}, nil
	}
	return nil, nil
}

func (c *Controller) claimChanged(claim *resourceapi.ResourceClaim) {
	if c.config.Waits(claim) {
		c.Queue.Add(item{cache.MetaObjectToName(claim)})
	}
}

// sliceChanged: a driver may publish what claims wait for.
func (c *Controller) sliceChanged(slice *resourceapi.ResourceSlice) {
	if slice.Labels[fabricplan.FabricLabel] == "" {
		c.enqueueWaiting()
	}
}

func (c *Controller) enqueueWaiting() {
	// The only error is that of an unknown index.
	claims, _ := c.claimIndex.ByIndex(claimsThatWait, claimsThatWait)
	for _, claim := range claims {
		c.Queue.Add(item{cache.MetaObjectToName(claim.(*resourceapi.ResourceClaim))})
	}
}

// Run works with so many workers until ctx ends, and returns when they have stopped.
// Calls that are under way then are cut off: a successor finds what they have done.
func (c *Controller) Run(ctx context.Context, workers int) {
	events, stop := loop.Events(ctx, c.client, Name)
	defer stop()
	c.events = events
	c.Loop.Run(ctx, workers, func(ctx context.Context, i item) (time.Duration, error) {
		if i == (item{}) {
			return c.refresh(ctx), nil
		}
		return c.syncClaim(ctx, i.Claim)
	})
}
