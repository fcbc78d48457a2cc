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
	"maps"
	"slices"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"
	"k8s.io/klog/v2"
	"k8s.io/utils/ptr"

	hardware "github.com/dra-conformance/dratest/drivers/fabric"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Hotplug makes a driver handle devices attached to its node by a fabric (KEP-5007, "Composable Controller Design
// Overview"): it publishes them as local devices and prepares them until they are detached. The zero value is off.
type Hotplug struct {
	// Inventory is the node's cluster's view of the fabric; nil for no fabric.
	Inventory func(context.Context) (hardware.Inventory, error)
	// Fabric is the fabric's name, an attribute of attached devices.
	Fabric string
	// Rescan is the time between two looks.
	Rescan time.Duration
}

// Validate returns all problems at once.
func (h Hotplug) Validate() error {
	if h.Inventory != nil && (h.Fabric == "" || h.Rescan <= 0) {
		return errors.New("the fabric's name and the time between two looks at it must be given")
	}
	return nil
}

const (
	// fabricAttribute marks detachable devices for schedulers.
	fabricAttribute resourceapi.QualifiedName = "dra-conformance.github.io/fabric"
	modelAttribute  resourceapi.QualifiedName = "model"
)

// hotplug is a driver with devices attached and detached at run time. It has no state on disk: attached devices are
// queried each time.
type hotplug struct {
	Hotplug
	kubeletplugin.DRAPlugin

	driver, node string
	profile      spec.Profile
	publisher    *publisher
	has          func(change func(profile *spec.Profile, broken *[]string))
	// begun: the devices published by the previous process are known.
	begun bool
}

// run publishes attached devices until ctx ends. If the fabric is unavailable, nothing changes: its devices stay
// attached.
func (h *hotplug) run(ctx context.Context) {
	ticker := time.NewTicker(h.Rescan)
	defer ticker.Stop()
	for {
		if err := h.rescan(ctx); err != nil && ctx.Err() == nil {
			klog.FromContext(ctx).Error(err, "Devices of the fabric are not published; it is tried again", "driver", h.driver)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

func (h *hotplug) rescan(ctx context.Context) error {
	attached, err := h.attached(ctx)
	if err != nil {
		return errors.Join(err, h.begin(ctx))
	}
	h.begun = true
	return h.publish(ctx, attached)
}

// begin publishes, once, the node's own devices and the fabric devices published by the previous process: an
// unavailable fabric must not take devices from pods.
func (h *hotplug) begin(ctx context.Context) error {
	if h.begun {
		return nil
	}
	left, err := h.left(ctx)
	if err != nil {
		return err
	}
	h.begun = true
	return h.publish(ctx, left)
}

func (h *hotplug) publish(ctx context.Context, attached map[string]resourceapi.Device) error {
	profile := h.with(attached)
	h.has(func(p *spec.Profile, _ *[]string) { *p = profile })
	return h.publisher.set(ctx, profile)
}

func (h *hotplug) left(ctx context.Context) (map[string]resourceapi.Device, error) {
	pools, err := h.publisher.list(ctx)
	if err != nil {
		return nil, err
	}
	found := map[string]resourceapi.Device{}
	for _, slice := range pools[h.node] {
		for _, d := range slice.Spec.Devices {
			if ptr.Deref(d.Attributes[fabricAttribute].StringValue, "") == h.Fabric {
				found[d.Name] = d
			}
		}
	}
	return found, nil
}

func (h *hotplug) attached(ctx context.Context) (map[string]resourceapi.Device, error) {
	inventory, err := h.Inventory(ctx)
	if err != nil {
		return nil, fmt.Errorf("look for devices of fabric %s: %w", h.Fabric, err)
	}
	described := map[string]map[string]string{}
	for _, m := range inventory.Models {
		described[m.Name] = m.Attributes
	}
	found := map[string]resourceapi.Device{}
	for _, d := range inventory.Devices {
		if d.Node == h.node && d.Phase == hardware.Attached {
			found[d.ID] = h.local(d, described[d.Model])
		}
	}
	return found, nil
}

// local returns an attached device as published, with the attributes of its model in the fabric, so a claim allocated
// a slot of the model also matches it.
func (h *hotplug) local(d hardware.Device, described map[string]string) resourceapi.Device {
	attributes := map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{modelAttribute: {StringValue: &d.Model}}
	for name, value := range described {
		attributes[resourceapi.QualifiedName(name)] = resourceapi.DeviceAttribute{StringValue: &value}
	}
	attributes[fabricAttribute] = resourceapi.DeviceAttribute{StringValue: &h.Fabric}
	return resourceapi.Device{Name: d.ID, Attributes: attributes}
}

// with is the profile with more devices in the node's own pool.
func (h *hotplug) with(attached map[string]resourceapi.Device) spec.Profile {
	all := h.profile
	all.Pools = slices.Clone(h.profile.Pools)
	own := slices.IndexFunc(all.Pools, func(p spec.Pool) bool { return p.Suffix == "" })
	if own < 0 {
		own = len(all.Pools)
		all.Pools = append(all.Pools, spec.Pool{})
	}
	devices := slices.Clone(all.Pools[own].Devices)
	for _, id := range slices.Sorted(maps.Keys(attached)) {
		devices = append(devices, attached[id])
	}
	all.Pools[own].Devices = devices
	return all
}

// PrepareResourceClaims implements kubeletplugin.DRAPlugin. It queries the fabric each time: a device may have been
// detached since it was published.
func (h *hotplug) PrepareResourceClaims(ctx context.Context, claims []*resourceapi.ResourceClaim) (map[types.UID]kubeletplugin.PrepareResult, error) {
	attached, err := h.attached(ctx)
	results := map[types.UID]kubeletplugin.PrepareResult{}
	var there []*resourceapi.ResourceClaim
	for _, claim := range claims {
		missing := h.missing(claim, attached)
		switch {
		case missing == "":
			there = append(there, claim)
		case err != nil: // it may be there
			results[claim.UID] = kubeletplugin.PrepareResult{Err: err}
		default:
			results[claim.UID] = kubeletplugin.PrepareResult{Err: fmt.Errorf("device %s is not attached to node %s", missing, h.node)}
		}
	}
	prepared, err := h.DRAPlugin.PrepareResourceClaims(ctx, there)
	maps.Copy(results, prepared)
	return results, err
}

// missing returns a device of the claim that is neither the node's own nor attached, or "".
func (h *hotplug) missing(claim *resourceapi.ResourceClaim, attached map[string]resourceapi.Device) string {
	if claim.Status.Allocation == nil {
		return ""
	}
	for _, r := range claim.Status.Allocation.Devices.Results {
		if r.Driver != h.driver {
			continue
		}
		_, there := attached[r.Device]
		if own := slices.ContainsFunc(h.profile.Pools, func(p spec.Pool) bool {
			return poolName(h.node, p) == r.Pool && slices.ContainsFunc(p.Devices, func(d resourceapi.Device) bool { return d.Name == r.Device })
		}); !own && (!there || r.Pool != h.node) {
			return r.Pool + "/" + r.Device
		}
	}
	return ""
}
