package faults

import (
	"context"
	"errors"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/suites/soak"
)

// What can be killed of a soak with a fabric, beside components of the cluster.
const (
	fabricManager    = "fabric"
	fabricController = "composable-controller"
)

// FabricComponents are what KillingOfFabric can kill.
func FabricComponents() []string {
	return []string{scheduler, "controller-manager", ownControllers, fabricController, fabricManager}
}

// KillingOfFabric returns what kills one of the FabricComponents in a soak with a fabric.
func KillingOfFabric(component string, plane ControlPlane) soak.Fault {
	switch component {
	case fabricManager:
		return KillPart{Part: spec.FabricManager}
	case fabricController:
		return KillPart{Part: spec.FabricController}
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

// The ways to spoil a soak with a fabric.
const (
	DetachedInUse = "detached-in-use"
)

// FabricWays lists the ways to spoil a soak with a fabric.
func FabricWays() []string { return []string{DetachedInUse, LeakedClaim} }

// detachInUse detaches all devices that are attached, by hand: claims that are in use have
// most of them.
func detachInUse(ctx context.Context, target soak.Target) error {
	return wait.PollUntilContextCancel(ctx, pause, true, func(ctx context.Context) (bool, error) {
		used, err := claimsInUse(ctx, target)
		if err != nil || used < 2 {
			return false, err
		}
		devices, err := target.Fabric.Devices(ctx)
		if err != nil {
			return false, err
		}
		detached := 0
		for id, d := range devices {
			if d.Phase != "Attached" {
				continue
			}
			if err := target.Fabric.Change(ctx, spec.FabricChange{Detach: id}); err != nil {
				return false, err
			}
			detached++
		}
		return detached > 1, nil
	})
}

// claimsInUse is the number of claims that a pod has and whose devices are there.
func claimsInUse(ctx context.Context, target soak.Target) (used int, err error) {
	list, err := target.Client.ResourceV1().ResourceClaims(target.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return 0, err
	}
	for _, c := range list.Items {
		if len(c.Status.ReservedFor) > 0 && len(c.Status.Devices) > 0 {
			used++
		}
	}
	return used, nil
}
