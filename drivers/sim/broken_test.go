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
	"os"
	"path/filepath"
	"testing"

	"k8s.io/dynamic-resource-allocation/kubeletplugin"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/drivers/sim/deploy"
)

// TestBrokenDevicesAreUnhealthy: a file marks a broken device, and its removal restores the device.
func TestBrokenDevicesAreUnhealthy(t *testing.T) {
	dir := filepath.Join(t.TempDir(), deploy.BrokenDir)
	unhealthy := func() (names []string) {
		t.Helper()
		broken, err := brokenIn(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range health("n", withBroken(profiles.Devices(2), broken)).Devices {
			if d.Health != kubeletplugin.HealthStatusHealthy {
				names = append(names, d.DeviceName)
			}
		}
		return names
	}
	if got := unhealthy(); len(got) > 0 {
		t.Errorf("unhealthy without a directory: %v", got)
	}
	if err := os.MkdirAll(filepath.Join(dir, "device-1"), 0o700); err != nil {
		t.Fatal(err)
	}
	if got := unhealthy(); len(got) != 1 || got[0] != "device-1" {
		t.Errorf("unhealthy with device-1 broken: %v", got)
	}
	if err := os.Remove(filepath.Join(dir, "device-1")); err != nil {
		t.Fatal(err)
	}
	if got := unhealthy(); len(got) > 0 {
		t.Errorf("unhealthy after it was healed: %v", got)
	}
}

// TestBrokenDevicesAreTainted: broken devices are not allocated without a toleration, and the inventory itself stays
// unchanged.
func TestBrokenDevicesAreTainted(t *testing.T) {
	whole := profiles.Devices(2)
	broken := withBroken(whole, []string{"device-1"})
	for i, want := range []int{0, 1} {
		if got := len(broken.Pools[0].Devices[i].Taints); got != want {
			t.Errorf("%d taints of device-%d, want %d", got, i, want)
		}
		if got := len(whole.Pools[0].Devices[i].Taints); got != 0 {
			t.Errorf("%d taints of device-%d in the inventory", got, i)
		}
	}
}
