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

package classic

import (
	"context"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dra-conformance/dratest/framework/harness/classicdra"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/soak"
	"github.com/dra-conformance/dratest/framework/soak/faults"
)

// Kills returns the kills possible here: the scheduler is not the cluster's own.
func (s *Soak) Kills(plane faults.ControlPlane) []soak.Fault {
	all := faults.Restarts(plane)
	all[0] = killProgram{"scheduler", func() *program { return s.scheduler }}
	return append(all, killProgram{"driver", func() *program { return s.driver }})
}

type killProgram struct {
	component string
	program   func() *program
}

// Name implements soak.Fault.
func (k killProgram) Name() string { return "kill " + k.component }

// Do returns once the program has processed a pod or claim again, so the next kill hits a working one.
func (k killProgram) Do(ctx context.Context, _ soak.Target) error {
	program := k.program()
	if err := program.Restart(); err != nil {
		return err
	}
	return faults.AwaitWork(ctx, "the "+k.component+" to work again", program.Worked)
}

// Injections lists the faults beside kills.
func (s *Soak) Injections() []faults.Inject {
	const uid, device = faults.NobodysUID, faults.Nobody + "/spoiled"
	hold := func(uids ...string) func(context.Context, soak.Target) error {
		more := map[string]string{}
		for _, uid := range uids {
			more[uid] = device
		}
		return func(context.Context, soak.Target) error { return s.driver.Hold(more) }
	}
	return []faults.Inject{
		faults.DoubleAllocation(),
		faults.NewInject("unheld-device", classicdra.NotHeld, allocateUnheld),
		faults.NewInject("held-twice", classicdra.HeldForTwo, hold(uid+"-1", uid+"-2")),
		faults.NewInject("left-device", classicdra.LeftHeld, hold(uid)),
		// Of another driver: this one would end it.
		faults.NewInject("left-record", classicdra.RecordLeft, s.creating("classicclaims", "ClassicClaim", map[string]any{
			"claimUID": uid, "driverName": faults.Nobody + ".example.com", "allocationMode": "Immediate",
		})),
		faults.NewInject("left-scheduling", classicdra.SchedulingLeft, s.creating("podschedulings", "PodScheduling", map[string]any{})),
		faults.LeakedClaim(), faults.StuckPod(),
	}
}

// allocateUnheld allocates a device not held by the driver.
func allocateUnheld(ctx context.Context, target soak.Target) error {
	return faults.Allocate(ctx, target, objects.Claim("spoiled", objects.Request("device", "none")),
		resourceapi.DeviceRequestAllocationResult{Driver: target.Driver, Pool: faults.Nobody, Device: "spoiled"})
}

// creating creates a classic DRA object without an owner.
func (s *Soak) creating(plural, kind string, what map[string]any) func(context.Context, soak.Target) error {
	return func(ctx context.Context, target soak.Target) error {
		o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": classicdra.Group + "/" + classicdra.Version, "kind": kind, "spec": what}}
		o.SetName("spoiled")
		_, err := s.kind(plural).Namespace(target.Namespace).Create(ctx, o, metav1.CreateOptions{})
		return err
	}
}
