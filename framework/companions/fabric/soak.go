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

package fabric

import (
	"context"
	"fmt"
	"time"

	"github.com/dra-conformance/dratest/framework/harness/await"
	casefabric "github.com/dra-conformance/dratest/framework/harness/fabric"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/soak"
	"github.com/dra-conformance/dratest/framework/soak/load"
	"github.com/dra-conformance/dratest/framework/spec"
)

// WhenAttached is the handling of a pod after its device was attached (docs/fabric.md).
type WhenAttached string

// Values of WhenAttached.
const (
	// Bind has it bound with its slot.
	Bind WhenAttached = "bind"
	// Reschedule schedules the pod again, with the device now published by the node's driver.
	Reschedule WhenAttached = "reschedule"
)

const (
	// fabricDevices is the number of devices: few, so that pods compete.
	fabricDevices = 8
	// attachTakes and detachTakes are long enough for kills in between.
	attachTakes, detachTakes = 500 * time.Millisecond, 500 * time.Millisecond
	// detachAfter is the idle time before a device is detached.
	detachAfter = 4 * time.Second
	// controllerUser and driverUser are the service accounts of the controller and the drivers.
	controllerUser, driverUser = "composable", "driver"
	// rescan is a driver's polling interval for attached devices.
	rescan = time.Second
)

// Soak is a soak with fabric devices attached to simulated nodes by a controller (KEP-5007).
type Soak struct {
	// When selects the handling of pods after an attach.
	When WhenAttached
	// Sim finds or builds dra-sim, for drivers, and returns its path.
	Sim func(ctx context.Context) (path string, err error)

	fabric casefabric.Client
	// nodes are the nodes with a driver publishing attached devices.
	nodes []string
}

var _ soak.Companion = (*Soak)(nil)

// Name implements soak.Companion.
func (*Soak) Name() string { return "fabric" }

// Validate implements soak.Companion.
func (s *Soak) Validate() error {
	if s.When != Bind && s.When != Reschedule {
		return fmt.Errorf("fabric: %q: must be %s or %s", s.When, Bind, Reschedule)
	}
	return nil
}

// Prepare starts a fabric and its controller in place of drivers.
func (s *Soak) Prepare(ctx context.Context, b *soak.Bed) error {
	for _, f := range []spec.Feature{spec.BindingConditions, spec.DeviceStatus, spec.DeviceTaints, spec.DeviceTaintRules} {
		if skip := f.Missing(b.Target); skip != nil {
			return fmt.Errorf("a soak with a fabric %s", skip.Text)
		}
	}
	if err := b.CreateObjects(ctx, load.Slots()); err != nil {
		return err
	}
	client, err := b.Find(ctx, casefabric.Companion)
	if err != nil {
		return err
	}
	fabrics := client.(Fabrics)
	user, err := b.Account(ctx, controllerUser, casefabric.ControllerRules(b.Names.Driver))
	if err != nil {
		return err
	}
	fabric := spec.FabricConfig{
		Driver: b.Names.Driver, Devices: fabricDevices, Attributes: load.SlotAttributes(), Bind: s.When == Bind,
		DetachAfter: detachAfter, DetachTakes: detachTakes, User: user,
	}
	if s.When == Reschedule {
		if fabrics.Sim, err = s.Sim(ctx); err != nil {
			return err
		}
		fabric.Drivers, fabric.Rescan = b.Target.NodesFor(spec.Needs{NoKubelet: true}), rescan
		if fabric.DriverUser, err = b.Account(ctx, driverUser, simdriver.Rules()); err != nil {
			return err
		}
	}
	return b.Progress.Step(fmt.Sprintf("start a fabric with %d devices", fabricDevices), 0, func() error { return s.start(ctx, b, fabrics, fabric) })
}

func (s *Soak) start(ctx context.Context, b *soak.Bed, fabrics Fabrics, fabric spec.FabricConfig) (err error) {
	if s.fabric, err = fabrics.Start(ctx, b.ReportDir, fabric); err != nil {
		return err
	}
	s.nodes = fabric.Drivers
	if err := s.fabric.Change(ctx, spec.FabricChange{Attach: &[]spec.AttachRule{{Takes: attachTakes}}}); err != nil {
		return err
	}
	return await.Pools(ctx, b.Client, b.Names.Driver, 1+len(fabric.Drivers))
}

// Stop implements soak.Companion.
func (s *Soak) Stop() error {
	if s.fabric == nil {
		return nil
	}
	return s.fabric.Stop()
}
