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

package kubelet

import (
	"context"
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	healthv1 "k8s.io/kubelet/pkg/apis/dra-health/v1"
	healthv1alpha1 "k8s.io/kubelet/pkg/apis/dra-health/v1alpha1"
)

// healthRetry is the delay before watching a driver's health again.
const healthRetry = 5 * time.Second

// healthClient returns the client for a plugin's best health service, or nil.
func healthClient(conn *grpc.ClientConn, services []string) healthv1.DRAResourceHealthClient {
	switch {
	case slices.Contains(services, healthv1.DRAResourceHealthService):
		return healthv1.NewDRAResourceHealthClient(conn)
	case slices.Contains(services, healthv1alpha1.DRAResourceHealthService):
		return healthv1.V1Alpha1ClientWrapper{Client: healthv1alpha1.NewDRAResourceHealthClient(conn)}
	default:
		return nil
	}
}

// watchHealth receives an instance's health reports until ctx is done or the driver does not
// implement them.
func (m *Manager) watchHealth(ctx context.Context, driver string, client healthv1.DRAResourceHealthClient) {
	logger := klog.FromContext(ctx)
	for {
		err := m.receiveHealth(ctx, driver, client)
		logger.V(4).Info("Reports of health have ended", "driver", driver, "err", err)
		if status.Code(err) == codes.Unimplemented {
			return
		}
		if m.sleep(ctx, healthRetry) != nil {
			return
		}
	}
}

func (m *Manager) receiveHealth(ctx context.Context, driver string, client healthv1.DRAResourceHealthClient) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := client.NodeWatchResources(ctx, &healthv1.NodeWatchResourcesRequest{})
	if err != nil {
		return err
	}
	m.health.begin(driver)
	defer func() {
		// Reports stay valid over a kubelet restart.
		keep := m.started() == nil
		changed, err := m.health.end(driver, keep)
		m.healthChanged(ctx, driver, changed, err)
	}()
	for {
		response, err := stream.Recv()
		if err != nil {
			return err
		}
		changed, ignored, err := m.health.update(driver, report(response.GetDevices()))
		if ignored > 0 {
			klog.FromContext(ctx).Error(nil, "Driver reports the health of too many devices, ignoring new ones", "driver", driver, "limit", maxDevices, "ignored", ignored)
		}
		m.healthChanged(ctx, driver, changed, err)
	}
}

// healthChanged requests status updates for all pods with devices of changed health.
func (m *Manager) healthChanged(ctx context.Context, driver string, changed map[deviceName]bool, err error) {
	logger := klog.FromContext(ctx)
	if err != nil {
		logger.Error(err, "Health of devices is not saved", "driver", driver)
	}
	if len(changed) == 0 {
		return
	}
	m.mu.Lock()
	pods := m.state.Users(driver, func(pool, device string) bool { return changed[deviceName{pool, device}] })
	m.mu.Unlock()
	logger.V(2).Info("Health of devices has changed", "driver", driver, "devices", len(changed), "podUIDs", pods)
	m.updates.add(pods)
}

func report(devices []*healthv1.DeviceHealth) []deviceHealth {
	to := make([]deviceHealth, 0, len(devices))
	for _, device := range devices {
		health := deviceHealth{
			PoolName:           device.GetDevice().GetPoolName(),
			DeviceName:         device.GetDevice().GetDeviceName(),
			Health:             corev1.ResourceHealthStatusUnknown,
			HealthCheckTimeout: time.Duration(device.GetHealthCheckTimeoutSeconds()) * time.Second,
			Message:            shortened(device.GetMessage()),
		}
		switch device.GetHealth() {
		case healthv1.HealthStatus_HEALTHY:
			health.Health = corev1.ResourceHealthStatusHealthy
		case healthv1.HealthStatus_UNHEALTHY:
			health.Health = corev1.ResourceHealthStatusUnhealthy
		}
		if health.HealthCheckTimeout <= 0 {
			health.HealthCheckTimeout = healthTimeout
		}
		to = append(to, health)
	}
	return to
}

func shortened(message string) string {
	if len(message) <= corev1.ResourceHealthMessageMaxLength {
		return message
	}
	return strings.ToValidUTF8(message[:corev1.ResourceHealthMessageMaxLength-len("...")], "") + "..."
}
