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

// Name is the controller's name in --controllers, metrics and events.
const Name = "composable-controller"

// Fabric attaches and detaches devices. Its errors are retryable; a refusal is an Answer.
type Fabric interface {
	Inventory(context.Context) (fabricplan.Inventory, error)
	Attach(context.Context, fabricplan.Attach) (fabricplan.Answer, error)
	// Detach does not wait. It is not an error if no device is attached with the key.
	Detach(context.Context, fabricplan.Detach) error
}

// Config configures a controller.
type Config struct {
	fabricplan.Config
	// Refresh is the period of fabric refreshes.
	Refresh time.Duration
	// RefreshAfterActs also refreshes after attaching or detaching a device.
	RefreshAfterActs bool
}

const (
	// pollPeriod is the period of polling a fabric task.
	pollPeriod = 200 * time.Millisecond
	// retryPeriod is the delay before retrying an unavailable fabric or a forbidden request.
	retryPeriod = time.Second
)

// Controller manages one fabric. See the package documentation.
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
	// Only the refresh worker uses these. idle is the start of each device's idle time, leaving are
	// devices still attached after a detach request, hurried is the number of quick refreshes in a
	// row.
	idle    map[string]time.Time
	leaving map[fabricplan.Detach]bool
	hurried int
}

// item is a claim to sync, or the fabric if it has no name.
type item struct{ Claim cache.ObjectName }

// String formats an item for logs.
func (i item) String() string {
	if i == (item{}) {
		return "fabric"
	}
	return "claim " + i.Claim.String()
}

// New makes a controller using a factory to be started between New and Run. It returns an error for
// an invalid configuration, or if an informer rejects indices or handlers because it was started or
// stopped.
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
		// Only fills the caches.
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

// claimsThatWait is the index, and its only key, of claims with slots unknown to the scheduler.
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

// sliceChanged syncs waiting claims: a driver may have published their devices.
func (c *Controller) sliceChanged(slice *resourceapi.ResourceSlice) {
	if slice.Labels[fabricplan.FabricLabel] == "" {
		c.enqueueWaiting()
	}
}

func (c *Controller) enqueueWaiting() {
	// The only possible error is an unknown index.
	claims, _ := c.claimIndex.ByIndex(claimsThatWait, claimsThatWait)
	for _, claim := range claims {
		c.Queue.Add(item{cache.MetaObjectToName(claim.(*resourceapi.ResourceClaim))})
	}
}

// Run runs the workers until ctx ends and waits for them. Calls in flight are canceled; a successor
// finds their effects.
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
