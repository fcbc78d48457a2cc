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

// Name is the controller's name in --controllers, metrics and events, and its field manager.
const Name = "device-taint-eviction-controller"

// Config configures a controller. The zero value works.
type Config struct {
	// NoRules ignores DeviceTaintRules, for API servers without them: only taints in slices count.
	NoRules bool
}

// Controller evicts pods. See the package documentation.
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

type item struct {
	Kind itemKind
	Name cache.ObjectName
	// UID protects a successor of the same name.
	UID types.UID
}

// String formats an item for logs.
func (i item) String() string { return fmt.Sprintf("%s %s (%s)", i.Kind, i.Name, i.UID) }

type itemKind string

const (
	podItem  itemKind = "pod"
	ruleItem itemKind = "rule"
)

// New makes a controller using a factory to be started between New and Run. It returns an error if
// an informer rejects indices or handlers because it was started or stopped.
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

// Run runs the workers until ctx ends and waits for them. Calls in flight are canceled; a successor
// finds their effects.
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
