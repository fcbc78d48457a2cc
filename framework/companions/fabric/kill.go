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
	"errors"
	"time"

	"github.com/dra-conformance/dratest/framework/soak"
	"github.com/dra-conformance/dratest/framework/soak/faults"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Killable parts of a soak with a fabric, in addition to the cluster's components.
const (
	fabricManager    = "fabric"
	fabricController = "composable-controller"
	fabricDriver     = "driver"
)

// Kills returns the possible kills: drivers only if pods are rescheduled to their published devices.
func (s *Soak) Kills(plane faults.ControlPlane) []soak.Fault {
	all := append(faults.Restarts(plane), killPart{s, spec.FabricController}, killPart{s, spec.FabricManager})
	if s.When == Reschedule {
		all = append(all, &killDriver{soak: s})
	}
	return all
}

type killPart struct {
	soak *Soak
	part spec.FabricPart
}

// Name implements soak.Fault.
func (k killPart) Name() string {
	if k.part == spec.FabricManager {
		return "kill " + fabricManager
	}
	return "kill " + fabricController
}

// asker is a fabric recording its controller's last request.
type asker interface{ Asked() time.Time }

// Do returns once the controller has sent a request to the fabric again, so the next kill hits a working one.
func (k killPart) Do(ctx context.Context, _ soak.Target) error {
	if err := k.soak.fabric.Turn(ctx, k.part, false); err != nil {
		return err
	}
	killed := time.Now()
	if err := k.soak.fabric.Turn(ctx, k.part, true); err != nil {
		return err
	}
	fabric, ok := k.soak.fabric.(asker)
	if !ok {
		return errors.New("the fabric does not know when it was asked")
	}
	return faults.AwaitWork(ctx, "the controller to ask the fabric", func() (bool, error) { return fabric.Asked().After(killed), nil })
}
