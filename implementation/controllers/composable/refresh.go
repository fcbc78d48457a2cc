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
	"fmt"
	"maps"
	"slices"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"

	"github.com/dra-conformance/dratest/implementation/fabricplan"
)

// maxHurry limits quick refreshes in a row while caches are stale. Beyond it, the cause is a name
// conflict with another object.
const maxHurry = 10

// refresh publishes free devices, detaches idle ones, and returns the delay until the next refresh.
// Failures are retried then.
func (c *Controller) refresh(ctx context.Context) time.Duration {
	again, errs := c.look(ctx)
	if ctx.Err() != nil {
		return again
	}
	logger, outdated := klog.FromContext(ctx), 0
	for _, err := range errs {
		if apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) {
			outdated++
			if c.hurried < maxHurry {
				logger.V(4).Info("Looking at the fabric again after a conflict", "err", err)
				continue
			}
		}
		logger.Error(err, "The fabric was looked at, trying again")
	}
	switch {
	case outdated == 0:
		c.hurried = 0
	case c.hurried < maxHurry:
		c.hurried++
		return pollPeriod
	}
	return again
}

// look returns the delay until the next refresh, and all errors.
func (c *Controller) look(ctx context.Context) (time.Duration, []error) {
	inventory, err := c.fabric.Inventory(ctx)
	c.metrics.asked("inventory", err)
	if err != nil {
		return c.config.Refresh, []error{err}
	}
	c.remember(inventory)
	claims, _ := c.claims.List(labels.Everything()) // caches return no errors
	published, _ := c.slices.List(labels.Everything())
	rules, _ := c.rules.List(labels.SelectorFromSet(labels.Set{fabricplan.FabricLabel: c.config.Fabric}))
	pools := fabricplan.PlanPools(fabricplan.PoolsView{Config: c.config.Config, Inventory: inventory, Claims: claims, Slices: published})
	errs := c.do(ctx, pools)

	view := fabricplan.DetachView{Config: c.config.Config, Inventory: inventory, Claims: claims, Slices: published, Rules: rules, Idle: c.idle, Now: time.Now()}
	plan, idle := fabricplan.PlanDetach(view)
	c.idle = idle
	if len(plan) == 1 && plan[0] == (fabricplan.VerifyClaims{}) {
		if view.Claims, err = c.liveClaims(ctx); err != nil {
			return c.config.Refresh, append(errs, err)
		}
		view.Live = true
		plan, c.idle = fabricplan.PlanDetach(view)
	}
	again := c.config.Refresh
	for _, action := range plan {
		if _, soon := action.(fabricplan.PlanAgain); soon {
			again = min(again, c.config.CordonFor)
		}
	}
	return again, append(errs, c.do(ctx, plan)...)
}

// remember keeps the dead devices, for waiting claims.
func (c *Controller) remember(inventory fabricplan.Inventory) {
	dead := map[string]bool{}
	for _, d := range inventory.Devices {
		dead[d.ID] = d.Phase == fabricplan.DeviceDead
	}
	maps.DeleteFunc(c.leaving, func(d fabricplan.Detach, _ bool) bool {
		return !slices.ContainsFunc(inventory.Devices, func(device fabricplan.Device) bool { return device.ID == d.Device && device.Key == d.Key })
	})
	c.mu.Lock()
	c.dead = dead
	c.mu.Unlock()
	c.enqueueWaiting()
}

func (c *Controller) liveClaims(ctx context.Context) ([]*resourceapi.ResourceClaim, error) {
	list, err := c.client.ResourceV1().ResourceClaims(metav1.NamespaceAll).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("check whether devices are in use before they are detached: %w", err)
	}
	claims := make([]*resourceapi.ResourceClaim, len(list.Items))
	for i := range list.Items {
		claims[i] = &list.Items[i]
	}
	return claims, nil
}

// do runs all actions, even after a failure, and returns the errors.
func (c *Controller) do(ctx context.Context, plan []fabricplan.Action) []error {
	var errs []error
	for _, action := range plan {
		if err := c.act(ctx, action); err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}

func (c *Controller) act(ctx context.Context, action fabricplan.Action) error {
	logger, written, rules := klog.FromContext(ctx), c.client.ResourceV1().ResourceSlices(), c.client.ResourceV1().DeviceTaintRules()
	switch action := action.(type) {
	case fabricplan.CreateSlice:
		_, err := written.Create(ctx, action.Slice, metav1.CreateOptions{})
		return c.wrote(err, "create slice %s", action.Slice.Name)
	case fabricplan.UpdateSlice:
		_, err := written.Update(ctx, action.Slice, metav1.UpdateOptions{})
		return c.wrote(err, "update slice %s", action.Slice.Name)
	case fabricplan.DeleteSlice:
		return c.wrote(ignoreNotFound(written.Delete(ctx, action.Name, only(action.UID))), "delete slice %s", action.Name)
	case fabricplan.Cordon:
		logger.V(2).Info("Keeping pods away from an idle device", "device", *action.Rule.Spec.DeviceSelector.Device)
		_, err := rules.Create(ctx, action.Rule, metav1.CreateOptions{})
		return wrap(err, "create DeviceTaintRule %s", action.Rule.Name)
	case fabricplan.Uncordon:
		logger.V(2).Info("Not keeping pods away any more", "rule", action.Name, "why", action.Why)
		return wrap(ignoreNotFound(rules.Delete(ctx, action.Name, only(action.UID))), "delete DeviceTaintRule %s", action.Name)
	case fabricplan.Detach:
		return c.detach(ctx, action)
	case fabricplan.Fail:
		return action.Err
	}
	return nil
}

// detach detaches a device. A dead device does not show a detach in progress: it is requested again
// at each refresh, but counted once and never a reason for another refresh.
func (c *Controller) detach(ctx context.Context, action fabricplan.Detach) error {
	err := c.fabric.Detach(ctx, action)
	c.metrics.asked("detach", err)
	if err != nil {
		return err
	}
	if c.leaving[action] {
		return nil
	}
	c.leaving[action] = true
	c.metrics.detachments.Inc()
	klog.FromContext(ctx).V(2).Info("Gave an idle device back", "device", action.Device, "node", action.Node)
	if c.config.RefreshAfterActs {
		c.Queue.Add(item{})
	}
	return nil
}

// wrote counts writes to pools.
func (c *Controller) wrote(err error, what, name string) error {
	if err == nil {
		c.metrics.sliceWrites.Inc()
	}
	return wrap(err, what, name)
}

func wrap(err error, what, name string) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf(what+": %w", name, err)
}

func only(uid types.UID) metav1.DeleteOptions {
	return metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid}}
}

func ignoreNotFound(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
