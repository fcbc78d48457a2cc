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

package sim

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"github.com/dra-conformance/dratest/drivers/sim/fabric"
	"github.com/dra-conformance/dratest/framework/spec"
)

const (
	fabricRetry = time.Second
	// maxConditions bounds the record: older ones are dropped.
	maxConditions = 1000
)

// attacher plays the fabric for the devices of one driver on one node: it sets conditions of claims as scripted. It
// works as long as there is a script, whether or not the driver is connected: a real one runs elsewhere.
type attacher struct {
	agent  Config
	driver string
	mutant spec.MutantID
	report func(error)

	// lifecycle serialises tell.
	lifecycle sync.Mutex
	stop      func() // nil while nothing is scripted

	mutex sync.Mutex
	set   []spec.ConditionSet
}

func (a *attacher) setConditions(ctx context.Context, conditions []spec.FabricCondition) error {
	var errs []error
	for _, c := range conditions {
		errs = append(errs, c.Validate())
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	a.lifecycle.Lock()
	defer a.lifecycle.Unlock()
	if a.stop != nil {
		a.stop()
		a.stop = nil
	}
	if len(conditions) == 0 {
		return nil
	}
	if a.mutant == spec.MutantOneCondition {
		conditions = conditions[:1]
	}
	script := fabric.Script{Driver: a.driver, Node: a.agent.NodeName, Received: time.Now(), Conditions: slices.Clone(conditions)}
	// The work outlives the request starting it.
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var working sync.WaitGroup
	working.Go(func() { a.run(ctx, script) })
	a.stop = func() { cancel(); working.Wait() }
	return nil
}

func (a *attacher) conditions() []spec.ConditionSet {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	return slices.Clone(a.set)
}

// run answers claims until ctx ends.
func (a *attacher) run(ctx context.Context, script fabric.Script) {
	kick := make(chan struct{}, 1)
	changed := func() {
		select {
		case kick <- struct{}{}:
		default:
		}
	}
	claims := a.agent.Client.ResourceV1().ResourceClaims(metav1.NamespaceAll)
	store, informer := cache.NewInformerWithOptions(cache.InformerOptions{
		ListerWatcher: cache.ToListWatcherWithWatchListSemantics(&cache.ListWatch{
			ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
				return claims.List(ctx, o)
			},
			WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
				return claims.Watch(ctx, o)
			},
		}, a.agent.Client),
		ObjectType: &resourceapi.ResourceClaim{},
		Handler: cache.ResourceEventHandlerFuncs{
			AddFunc: func(any) { changed() }, UpdateFunc: func(any, any) { changed() },
		},
	})
	var watching sync.WaitGroup
	defer watching.Wait()
	watching.Go(func() { informer.RunWithContext(ctx) })
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-kick:
		case <-timer.C:
		}
		if wait := a.answer(ctx, script, store.List()); wait > 0 {
			timer.Reset(wait)
		}
	}
}

// answer checks all claims once and returns the delay until the next check if none of them changes; zero means never.
func (a *attacher) answer(ctx context.Context, script fabric.Script, claims []any) (again time.Duration) {
	for _, o := range claims {
		claim, ok := o.(*resourceapi.ResourceClaim)
		if !ok {
			continue
		}
		devices, set, wait := script.Next(claim, time.Now())
		if len(set) > 0 && !a.write(ctx, claim, devices, set) {
			wait = fabricRetry
		}
		if wait > 0 && (again == 0 || wait < again) {
			again = wait
		}
	}
	return again
}

// write sets a claim's device status. It returns false to retry; a claim changed meanwhile comes again by itself.
func (a *attacher) write(ctx context.Context, claim *resourceapi.ResourceClaim, devices []resourceapi.AllocatedDeviceStatus, set []spec.ConditionSet) bool {
	changed := claim.DeepCopy()
	changed.Status.Devices = devices
	_, err := a.agent.Client.ResourceV1().ResourceClaims(claim.Namespace).UpdateStatus(ctx, changed, metav1.UpdateOptions{})
	switch {
	case err == nil:
	case apierrors.IsConflict(err), apierrors.IsNotFound(err), ctx.Err() != nil:
		return true
	default:
		a.report(fmt.Errorf("set conditions of claim %s/%s: %w", claim.Namespace, claim.Name, err))
		return false
	}
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.set = append(a.set, set...)
	a.set = a.set[max(0, len(a.set)-maxConditions):]
	for _, c := range set {
		klog.FromContext(ctx).V(2).Info("Set condition", "driver", a.driver, "claim", klog.KObj(claim), "device", c.Device, "condition", c.Type)
	}
	return true
}
