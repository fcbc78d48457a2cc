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
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"

	"github.com/dra-conformance/dratest/framework/spec"
)

// checkup is the interval between health reports; cases wait for the next one.
const checkup = time.Second

// WatchHealthStatus implements kubeletplugin.DRAPlugin: each report has the current health of all devices.
func (p *plugin) WatchHealthStatus(ctx context.Context, reports chan<- kubeletplugin.DeviceHealthReport) error {
	p.healthAsked.Add(1)
	if p.declinesHealth {
		return kubeletplugin.ErrHealthNotSupported
	}
	ticker := time.NewTicker(checkup)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case reports <- health(p.node, *p.profile.Load()):
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

func health(node string, profile spec.Profile) kubeletplugin.DeviceHealthReport {
	var report kubeletplugin.DeviceHealthReport
	for _, pool := range profile.Pools {
		reported := map[string]spec.DeviceHealth{}
		for _, h := range pool.Health {
			reported[h.Device] = h
		}
		for _, device := range pool.Devices {
			h := reported[device.Name]
			if h.Silent {
				continue
			}
			report.Devices = append(report.Devices, kubeletplugin.DeviceHealth{
				PoolName: poolName(node, pool), DeviceName: device.Name, Health: healthState(h.State),
				Message: h.Message, HealthCheckTimeout: h.Timeout,
			})
		}
	}
	return report
}

func healthState(state corev1.ResourceHealthStatus) kubeletplugin.HealthStatus {
	switch state {
	case corev1.ResourceHealthStatusUnhealthy:
		return kubeletplugin.HealthStatusUnhealthy
	case corev1.ResourceHealthStatusUnknown:
		return kubeletplugin.HealthStatusUnknown
	default:
		return kubeletplugin.HealthStatusHealthy
	}
}
