package soak

import (
	"context"
	"fmt"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/plan"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed/composed"
	"github.com/dra-conformance/dratest/suites/soak/load"
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
	// controllerUser is the service account as which the controller works.
	controllerUser = "composable"
)

// prepareFabric starts a fabric and its controller in place of drivers.
func (b *soakbed) prepareFabric(ctx context.Context) error {
	for _, f := range []spec.Feature{spec.BindingConditions, spec.DeviceStatus, spec.DeviceTaints, spec.DeviceTaintRules} {
		if skip := plan.SkipFeature(f, b.Target); skip != nil {
			return fmt.Errorf("a soak with a fabric %s", skip.Text)
		}
	}
	b.kinds = load.Slots()
	if err := b.createObjects(ctx); err != nil {
		return err
	}
	program, err := b.parts.Composable(ctx)
	if err != nil {
		return err
	}
	// The controller has the rights of its manifest and no others.
	subject := rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Name: controllerUser, Namespace: b.namespace}
	if err := b.allow(ctx, controllerUser, subject, harness.ControllerRules(b.names.Driver)); err != nil {
		return err
	}
	return b.Progress.Step(fmt.Sprintf("start a fabric with %d devices", fabricDevices), 0, func() error { return b.startFabric(ctx, program) })
}

func (b *soakbed) startFabric(ctx context.Context, program string) (err error) {
	b.fabric, err = composed.Fabrics{Program: program, Kubeconfig: b.Kubeconfig, Context: b.Context}.Start(ctx, b.options.ReportDir, spec.ComposedFabric{
		Driver: b.names.Driver, Devices: fabricDevices, Attributes: load.SlotAttributes(), Bind: true,
		DetachAfter: detachAfter, DetachTakes: detachTakes, User: "system:serviceaccount:" + b.namespace + ":" + controllerUser,
	})
	if err != nil {
		return err
	}
	if err := b.fabric.Change(ctx, spec.FabricChange{Attach: &[]spec.AttachRule{{Takes: attachTakes}}}); err != nil {
		return err
	}
	return harness.AwaitPools(ctx, b.Client, b.names.Driver, 1)
}
