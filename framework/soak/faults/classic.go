package faults

import (
	"context"
	"errors"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dra-conformance/dratest/framework/audit"
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

// ClassicInjections lists the faults for a soak of classic DRA.
func ClassicInjections() []Inject {
	return []Inject{
		doubleAllocation(),
		{Defect: spec.Defect{ID: "unheld-device"}, Rule: audit.NotHeld, inject: without(func(ctx context.Context, target soak.Target) error {
			return allocate(ctx, target, objects.Claim("spoiled", objects.Request("device", "none")),
				resourceapi.DeviceRequestAllocationResult{Driver: target.Driver, Pool: nobody, Device: "spoiled"})
		})},
		{Defect: spec.Defect{ID: "held-twice"}, Rule: audit.HeldForTwo, inject: without(func(_ context.Context, target soak.Target) error {
			return target.Classic.Driver.Hold(map[string]string{nobodysUID + "-1": nobody + "/spoiled", nobodysUID + "-2": nobody + "/spoiled"})
		})},
		{Defect: spec.Defect{ID: "left-device"}, Rule: audit.LeftHeld, inject: without(func(_ context.Context, target soak.Target) error {
			return target.Classic.Driver.Hold(map[string]string{nobodysUID: nobody + "/spoiled"})
		})},
		{Defect: spec.Defect{ID: "left-record"}, Rule: audit.RecordLeft, inject: without(func(ctx context.Context, target soak.Target) error {
			// Of another driver: this one would end it.
			return create(ctx, target, "classicclaims", "ClassicClaim", map[string]any{
				"claimUID": nobodysUID, "driverName": nobody + ".example.com", "allocationMode": "Immediate",
			})
		})},
		{Defect: spec.Defect{ID: "left-scheduling"}, Rule: audit.SchedulingLeft, inject: without(func(ctx context.Context, target soak.Target) error {
			return create(ctx, target, "podschedulings", "PodScheduling", map[string]any{})
		})},
		leakedClaim(), stuckPod(),
	}
}

const (
	nobody = "nobody"
	// nobodysUID is that of a claim that there is not.
	nobodysUID = "00000000-0000-0000-0000-000000000000"
)

// create makes an object of classic DRA that nobody owns.
func create(ctx context.Context, target soak.Target, plural, kind string, what map[string]any) error {
	o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": spec.ClassicGroup + "/" + spec.ClassicVersion, "kind": kind, "spec": what}}
	o.SetName("spoiled")
	_, err := target.Classic.Kind(plural).Namespace(target.Namespace).Create(ctx, o, metav1.CreateOptions{})
	return err
}
