package faults

import (
	"context"
	"errors"
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/soak"
	"github.com/dra-conformance/dratest/framework/spec"
)

// classicDriver is a driver that allocates claims itself.
const classicDriver = "driver"

// ClassicComponents are what KillingOfClassic can kill.
func ClassicComponents() []string {
	return []string{scheduler, "controller-manager", ownControllers, classicDriver}
}

// KillingOfClassic returns what kills one of the ClassicComponents in a soak of classic DRA.
func KillingOfClassic(component string, plane ControlPlane) soak.Fault {
	if component == scheduler || component == classicDriver {
		return KillProgram{Component: component}
	}
	return Restart{Component: component, Plane: plane}
}

// KillProgram kills the scheduler or the driver of a soak of classic DRA, and starts it again.
type KillProgram struct {
	Component string
}

var _ soak.Fault = KillProgram{}

// Name implements soak.Fault.
func (k KillProgram) Name() string { return "kill " + k.Component }

// Do returns once the program has worked on a pod or a claim again, so that the next kill hits
// one that works.
func (k KillProgram) Do(ctx context.Context, target soak.Target) error {
	if target.Classic == nil {
		return errors.New("this is no soak of classic DRA")
	}
	program := target.Classic.Scheduler
	if k.Component == classicDriver {
		program = target.Classic.Driver
	}
	if err := program.Restart(); err != nil {
		return err
	}
	return awaitWork(ctx, "the "+k.Component+" to work again", program.Worked)
}

// The ways to spoil a soak of classic DRA.
const (
	UnheldDevice   = "unheld-device"
	HeldTwice      = "held-twice"
	LeftDevice     = "left-device"
	LeftRecord     = "left-record"
	LeftScheduling = "left-scheduling"
)

// ClassicWays lists the ways to spoil a soak of classic DRA.
func ClassicWays() []string {
	return []string{DoubleAllocation, UnheldDevice, HeldTwice, LeftDevice, LeftRecord, LeftScheduling, LeakedClaim, StuckPod}
}

const (
	nobody = "nobody"
	// nobodysUID is that of a claim that there is not.
	nobodysUID = "00000000-0000-0000-0000-000000000000"
)

func spoilClassic(ctx context.Context, target soak.Target, way string) error {
	switch way {
	case UnheldDevice:
		return allocate(ctx, target, objects.Claim("spoiled", objects.Request("device", "none")),
			resourceapi.DeviceRequestAllocationResult{Driver: target.Driver, Pool: nobody, Device: "spoiled"})
	case HeldTwice:
		return target.Classic.Driver.Hold(map[string]string{nobodysUID + "-1": nobody + "/spoiled", nobodysUID + "-2": nobody + "/spoiled"})
	case LeftDevice:
		return target.Classic.Driver.Hold(map[string]string{nobodysUID: nobody + "/spoiled"})
	case LeftRecord: // of another driver: this one would end it
		return create(ctx, target, "classicclaims", "ClassicClaim", map[string]any{
			"claimUID": nobodysUID, "driverName": nobody + ".example.com", "allocationMode": "Immediate",
		})
	case LeftScheduling:
		return create(ctx, target, "podschedulings", "PodScheduling", map[string]any{})
	default:
		return fmt.Errorf("unknown way %s", way)
	}
}

// create makes an object of classic DRA that nobody owns.
func create(ctx context.Context, target soak.Target, plural, kind string, what map[string]any) error {
	o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": spec.ClassicGroup + "/" + spec.ClassicVersion, "kind": kind, "spec": what}}
	o.SetName("spoiled")
	_, err := target.Classic.Kind(plural).Namespace(target.Namespace).Create(ctx, o, metav1.CreateOptions{})
	return err
}
