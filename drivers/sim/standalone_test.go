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

package sim

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/spec"
)

// A stopped driver leaves prepared claims and slices to the next process, and an agent on the same node leaves them
// alone.
func TestDriverWithoutAnAgent(t *testing.T) {
	root := shortDir(t)
	kubelet := startKubelet(t, root)
	claim := allocated("c", "device-0")
	agent, client := newAgent(t, root, claim)
	config := spec.DriverConfig{Name: driver, Profile: profiles.Devices(2)}
	for turn := range 2 {
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		before := kubelet.registrations()
		go func() { ended <- (Standalone{}).Run(ctx, agent.config, config) }()
		eventually(t, "registered", func() bool { return kubelet.registrations() > before })
		if turn == 0 {
			if answer := kubelet.prepare(t, claim); answer.GetError() != "" {
				t.Errorf("prepare answered %v", answer)
			}
		} else {
			kubelet.unprepare(t, claim)
		}
		if err := removeLeftovers(t.Context(), agent.config); err != nil {
			t.Error(err)
		}
		if d := cmp.Diff([]string{"device-0", "device-1"}, published(t, client)); d != "" {
			t.Errorf("devices (-want +got):\n%s", d)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		// The lock file is the library's.
		left := slices.DeleteFunc(files(t, root), func(f string) bool { return strings.HasSuffix(f, ".lock") })
		if len(left) != 1-turn {
			t.Errorf("files after turn %d: %v", turn, left)
		}
	}
	if err := (Standalone{}).Run(t.Context(), agent.config, spec.DriverConfig{}); err == nil {
		t.Error("a driver without a name was started")
	}
}

// A driver without an inventory is the node part of a classic driver: it prepares devices in no slice, and publishes
// none.
func TestNodePartOfADriver(t *testing.T) {
	root := shortDir(t)
	kubelet := startKubelet(t, root)
	claim := allocated("c", "device-7")
	agent, client := newAgent(t, root, claim)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- (Standalone{}).Run(ctx, agent.config, spec.DriverConfig{Name: driver}) }()
	eventually(t, "registered", func() bool { return kubelet.registrations() > 0 })
	if answer := kubelet.prepare(t, claim); answer.GetError() != "" || len(answer.GetDevices()) != 1 || answer.Devices[0].DeviceName != "device-7" {
		t.Errorf("prepare answered %v", answer)
	}
	kubelet.unprepare(t, claim)
	if devices := published(t, client); len(devices) > 0 {
		t.Errorf("published: %v", devices)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// The kubelet may have unprepared the claim of a canceled call before the call gets its turn.
func TestCanceledPrepare(t *testing.T) {
	dir := t.TempDir()
	p := newInstance(Config{CDIDir: dir}, spec.DriverConfig{Name: driver}).plugin
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	claim := &resourceapi.ResourceClaim{Status: resourceapi.ResourceClaimStatus{Allocation: &resourceapi.AllocationResult{Devices: resourceapi.DeviceAllocationResult{
		Results: []resourceapi.DeviceRequestAllocationResult{{Request: "r", Driver: driver, Pool: "p", Device: "d"}},
	}}}}
	if _, err := p.prepare(ctx, claim, ""); err == nil {
		t.Error("a canceled call prepares a claim")
	}
	if prepared, err := p.store.prepared(); err != nil || len(prepared) > 0 {
		t.Errorf("prepared: %v, %v", prepared, err)
	}
}
