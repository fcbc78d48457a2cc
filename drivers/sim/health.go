package sim

import (
	"context"
	"slices"
	"time"

	"k8s.io/dynamic-resource-allocation/kubeletplugin"

	"github.com/dra-conformance/dratest/framework/spec"
)

// checkup is the time between two reports of health: cases wait for the next one.
const checkup = time.Second

// WatchHealthStatus implements kubeletplugin.DRAPlugin: each report is about all
// devices as they are then.
func (p *plugin) WatchHealthStatus(ctx context.Context, reports chan<- kubeletplugin.DeviceHealthReport) error {
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
		for _, device := range pool.Devices {
			state := kubeletplugin.HealthStatusHealthy
			if slices.Contains(pool.Unhealthy, device.Name) {
				state = kubeletplugin.HealthStatusUnhealthy
			}
			report.Devices = append(report.Devices, kubeletplugin.DeviceHealth{
				PoolName: poolName(node, pool), DeviceName: device.Name, Health: state,
			})
		}
	}
	return report
}
