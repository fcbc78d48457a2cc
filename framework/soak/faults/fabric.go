package faults

import (
	"context"
	"errors"
	"time"

	"github.com/dra-conformance/dratest/framework/soak"
	"github.com/dra-conformance/dratest/framework/spec"
)

// What can be killed of a soak with a fabric, beside components of the cluster.
const (
	fabricManager    = "fabric"
	fabricController = "composable-controller"
	fabricDriver     = "driver"
)

// FabricComponents are what KillingOfFabric can kill: drivers only where pods are scheduled
// anew to what they publish.
func FabricComponents(when soak.WhenAttached) []string {
	all := []string{scheduler, "controller-manager", ownControllers, fabricController, fabricManager}
	if when == soak.Reschedule {
		all = append(all, fabricDriver)
	}
	return all
}

// KillingOfFabric returns what kills one of the FabricComponents in a soak with a fabric.
func KillingOfFabric(component string, plane ControlPlane) soak.Fault {
	switch component {
	case fabricManager:
		return KillPart{Part: spec.FabricManager}
	case fabricController:
		return KillPart{Part: spec.FabricController}
	case fabricDriver:
		return &KillDriver{}
	}
	return Restart{Component: component, Plane: plane}
}

// KillPart kills a fabric's manager or its controller, and starts it again.
type KillPart struct {
	Part spec.FabricPart
}

var _ soak.Fault = KillPart{}

// Name implements soak.Fault.
func (k KillPart) Name() string {
	if k.Part == spec.FabricManager {
		return "kill " + fabricManager
	}
	return "kill " + fabricController
}

// asker is a fabric that knows when its controller has asked it.
type asker interface{ Asked() time.Time }

// Do returns once the controller has asked the fabric again, so that the next kill hits one
// that works.
func (k KillPart) Do(ctx context.Context, target soak.Target) error {
	if err := target.Fabric.Turn(ctx, k.Part, false); err != nil {
		return err
	}
	killed := time.Now()
	if err := target.Fabric.Turn(ctx, k.Part, true); err != nil {
		return err
	}
	fabric, ok := target.Fabric.(asker)
	if !ok {
		return errors.New("the fabric does not know when it was asked")
	}
	return awaitWork(ctx, "the controller to ask the fabric", func() (bool, error) { return fabric.Asked().After(killed), nil })
}
