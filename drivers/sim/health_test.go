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
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/spec"
)

func TestHealthIsThatOfTheProfile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &plugin{node: "node"}
		tell := func(profile spec.Profile) { p.profile.Store(&profile) }
		tell(profiles.ReportingHealth(profiles.TwoDevices()))
		ctx, cancel := context.WithCancel(t.Context())
		reports, ended := make(chan kubeletplugin.DeviceHealthReport), make(chan error)
		go func() { ended <- p.WatchHealthStatus(ctx, reports) }()
		want := []kubeletplugin.DeviceHealth{
			{PoolName: "node", DeviceName: "device-0", Health: kubeletplugin.HealthStatusHealthy},
			{PoolName: "node", DeviceName: "device-1", Health: kubeletplugin.HealthStatusHealthy},
		}
		if diff := cmp.Diff(want, (<-reports).Devices); diff != "" {
			t.Errorf("first report (-want +got):\n%s", diff)
		}
		tell(profiles.ReportingHealth(profiles.TwoDevices(), "device-1"))
		want[1].Health = kubeletplugin.HealthStatusUnhealthy
		if diff := cmp.Diff(want, (<-reports).Devices); diff != "" {
			t.Errorf("second report (-want +got):\n%s", diff)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}
