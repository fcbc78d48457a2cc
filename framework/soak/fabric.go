package soak

import (
	"context"
	"fmt"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/dra-conformance/dratest/framework/companions/fabric"
	"github.com/dra-conformance/dratest/framework/harness"
	casefabric "github.com/dra-conformance/dratest/framework/harness/fabric"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/soak/load"
	"github.com/dra-conformance/dratest/framework/spec"
)

// WhenAttached is what becomes of a pod whose device was attached (docs/fabric.md).
type WhenAttached string

// What can become of it.
const (
	// Bind has it bound with its slot.
	Bind WhenAttached = "bind"
	// Reschedule has it scheduled anew, to the device that the driver of the node publishes
	// now.
	Reschedule WhenAttached = "reschedule"
)

const (
	// fabricDevices is how many there are: few, so that pods wait for one another's.
	fabricDevices = 8
	// attachTakes and detachTakes are long enough for kills to come in between.
	attachTakes, detachTakes = 500 * time.Millisecond, 500 * time.Millisecond
	// detachAfter is how long a device is idle that is detached.
	detachAfter = 4 * time.Second
	// controllerLog is the controller's log in the report directory.
	controllerLog = "controller.log"
	// controllerUser is the service account as which the controller works, driverUser that
	// of the drivers.
	controllerUser, driverUser = "composable", "driver"
	// rescan is the time between two looks of a driver at what is attached to its node.
	rescan = time.Second
)

// prepareFabric starts a fabric and its controller in place of drivers.
func (b *soakbed) prepareFabric(ctx context.Context) error {
	for _, f := range []spec.Feature{spec.BindingConditions, spec.DeviceStatus, spec.DeviceTaints, spec.DeviceTaintRules} {
		if skip := f.Missing(b.Target); skip != nil {
			return fmt.Errorf("a soak with a fabric %s", skip.Text)
		}
	}
	b.kinds = load.Slots()
	if err := b.createObjects(ctx); err != nil {
		return err
	}
	var err error
	fabrics := fabric.Fabrics{Kubeconfig: b.Kubeconfig, Context: b.Context}
	if fabrics.Program, err = b.parts.Composable(ctx); err != nil {
		return err
	}
	user, err := b.account(ctx, controllerUser, casefabric.ControllerRules(b.names.Driver))
	if err != nil {
		return err
	}
	fabric := spec.ComposedFabric{
		Driver: b.names.Driver, Devices: fabricDevices, Attributes: load.SlotAttributes(), Bind: b.options.Fabric == Bind,
		DetachAfter: detachAfter, DetachTakes: detachTakes, User: user,
	}
	if b.options.Fabric == Reschedule {
		if fabrics.Sim, err = b.parts.Sim(ctx); err != nil {
			return err
		}
		fabric.Drivers, fabric.Rescan = b.Target.NodesFor(spec.Needs{NoKubelet: true}), rescan
		if fabric.DriverUser, err = b.account(ctx, driverUser, simdriver.Rules()); err != nil {
			return err
		}
	}
	return b.Progress.Step(fmt.Sprintf("start a fabric with %d devices", fabricDevices), 0, func() error { return b.startFabric(ctx, fabrics, fabric) })
}

// account gives a program the rights of its manifest and no others, and returns who it is.
func (b *soakbed) account(ctx context.Context, name string, rules []rbacv1.PolicyRule) (user string, err error) {
	subject := rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Name: name, Namespace: b.namespace}
	return "system:serviceaccount:" + b.namespace + ":" + name, b.allow(ctx, name, subject, rules)
}

func (b *soakbed) startFabric(ctx context.Context, fabrics fabric.Fabrics, fabric spec.ComposedFabric) (err error) {
	if b.fabric, err = fabrics.Start(ctx, b.options.ReportDir, fabric); err != nil {
		return err
	}
	b.drivenNodes = fabric.Drivers
	if err := b.fabric.Change(ctx, spec.FabricChange{Attach: &[]spec.AttachRule{{Takes: attachTakes}}}); err != nil {
		return err
	}
	return harness.AwaitPools(ctx, b.Client, b.names.Driver, 1+len(fabric.Drivers))
}
