package sanity

import (
	"context"
	"fmt"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/pools"
)

// Device is a device that claims can have.
type Device struct {
	Pool, Name string
	// Capacity of one share, where the device is shared by claims; nil otherwise.
	Capacity map[resourceapi.QualifiedName]resource.Quantity
}

// Devices returns n devices of the driver that nobody has, and of which none excludes
// another one. If the driver does not publish so many the check is not applicable; if some
// cannot be had now, or since an earlier check has failed, it is blocked.
func (t *T) Devices(n int) []Device {
	return t.unspoiled(n, "not shared", func(d Device) bool { return d.Capacity == nil })
}

// SharedDevice is a device that several claims may have.
func (t *T) SharedDevice() Device {
	return t.unspoiled(1, "shared by claims (allowMultipleAllocations)", func(d Device) bool { return d.Capacity != nil })[0]
}

func (t *T) unspoiled(n int, kind string, is func(Device) bool) []Device {
	t.awaitDevices()
	all, err := t.candidates(t.ctx)
	t.need(err, "look for free devices")
	var good []Device
	var kept []string
	for _, c := range all {
		by, bad := t.spoiled[pools.ID{Pool: c.Pool, Device: c.Name}]
		switch {
		case !is(c.Device):
		case bad:
			kept = append(kept, fmt.Sprintf("device %s of pool %s can no longer be prepared since %s failed", c.Name, c.Pool, by))
		case c.kept != "":
			kept = append(kept, fmt.Sprintf("device %s of pool %s %s", c.Name, c.Pool, c.kept))
		default:
			good = append(good, c.Device)
		}
	}
	switch {
	case len(good) >= n:
	case len(good)+len(kept) >= n:
		t.Blockedf("needs %d of the devices that are %s, and only %d can be had: %s", n, kind, len(good), first(kept, 3))
	default:
		t.NotApplicablef("needs %d of the devices that are %s, the driver has %d on this node", n, kind, len(good)+len(kept))
	}
	return good[:n]
}

// first joins some of what there is to say, and tells how much more there is.
func first(all []string, n int) string {
	if len(all) <= n {
		return strings.Join(all, "; ")
	}
	return fmt.Sprintf("%s; and %d more", strings.Join(all[:n], "; "), len(all)-n)
}

// awaitDevices waits, once for all checks, until the driver has published devices: it may
// just have started.
func (t *T) awaitDevices() {
	some, complete, err := t.look(t.ctx)
	if (!some || !complete) && !t.awaited {
		t.awaited = true
		t.await(func(ctx context.Context) bool {
			some, complete, err := t.look(ctx)
			return some && complete && err == nil
		})
		some, _, err = t.look(t.ctx)
	}
	t.need(err, "look for devices")
	if !some {
		t.Blockedf("driver %s has published no device for node %s", t.Driver, t.Node)
	}
}

// look tells whether the driver has published a device, and all of each pool.
func (w *world) look(ctx context.Context) (some, complete bool, err error) {
	published, err := w.published(ctx)
	complete = true
	for _, p := range pools.Of(w.Driver, published) {
		some = some || len(p.Devices()) > 0
		complete = complete && p.Problem() == ""
	}
	return some, complete, err
}

// spoil tries the devices of a check that has failed: those that cannot be prepared for a
// fresh claim any more are not given to other checks, which would only fail, too.
func (t *T) spoil(check string, devices []Device) {
	for _, d := range devices {
		claim := t.One(d)
		_, err := t.prepareOne(t.ctx, claim)
		if err == nil {
			err = t.unprepareOne(t.ctx, claim)
		}
		if err != nil {
			t.spoiled[pools.ID{Pool: d.Pool, Device: d.Name}] = check
		}
		t.Delete(claim)
	}
}

// published lists what the driver publishes for the node.
func (w *world) published(ctx context.Context) ([]resourceapi.ResourceSlice, error) {
	selector := fields.Set{resourceapi.ResourceSliceSelectorDriver: w.Driver, resourceapi.ResourceSliceSelectorNodeName: w.Node}
	list, err := w.Client.ResourceV1().ResourceSlices().List(ctx, metav1.ListOptions{FieldSelector: selector.String()})
	if err != nil {
		return nil, fmt.Errorf("list resource slices: %w", err)
	}
	return list.Items, nil
}

func (w *world) candidates(ctx context.Context) ([]candidate, error) {
	published, err := w.published(ctx)
	if err != nil {
		return nil, err
	}
	claims, err := w.Client.ResourceV1().ResourceClaims("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list claims: %w", err)
	}
	return candidates(pools.Devices(w.Driver, published, claims.Items)), nil
}

// candidate is a device of which a check can make use, unless something keeps it from that
// now.
type candidate struct {
	Device

	kept string
}

// candidates are the devices that wait for no condition and draw on no counters that
// others draw on.
func candidates(devices []pools.Device) []candidate {
	var found []candidate
	for _, d := range devices {
		if len(d.BindingConditions) > 0 || len(d.ConsumesCounters) > 0 {
			continue
		}
		c := candidate{Device: Device{Pool: d.Pool, Name: d.Name}, kept: d.Kept}
		if ptr.Deref(d.AllowMultipleAllocations, false) {
			c.Capacity = share(d.Device)
		}
		found = append(found, c)
	}
	return found
}

// share is what a claim that asks for nothing in particular takes of a device.
func share(d resourceapi.Device) map[resourceapi.QualifiedName]resource.Quantity {
	taken := map[resourceapi.QualifiedName]resource.Quantity{}
	for name, capacity := range d.Capacity {
		taken[name] = capacity.Value
		if capacity.RequestPolicy != nil && capacity.RequestPolicy.Default != nil {
			taken[name] = *capacity.RequestPolicy.Default
		}
	}
	return taken
}
