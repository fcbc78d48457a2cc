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
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"

	"github.com/dra-conformance/dratest/implementation/nodeplan"
)

const (
	// reasonLost is the kubelet's event reason for claims that cannot be prepared.
	reasonLost = "FailedPrepareDynamicResources"
	// reasonUnresolved is the event reason for a driver that prepared a claim successfully, but
	// without resolvable CDI devices. The kubelet has no such event, and the container runtime's
	// error does not name the driver.
	reasonUnresolved = "UnresolvedCDIDevices"
)

var errUnknownDevices = errors.New("the devices of ResourceClaims are not known")

// ContainerCDIDevices returns the CDI devices of a starting container or init container: only those
// of its own requests.
//
// If devices are unknown or do not resolve, the claims are first prepared again. Otherwise a
// container would start without its devices, or fail until the pod's sandbox is recreated
// (kubernetes#141433). If preparing fails, a container with unknown devices does not start. For
// unresolved devices, the container runtime decides: it may use other directories.
func (m *Manager) ContainerCDIDevices(ctx context.Context, pod *corev1.Pod, container *corev1.Container) ([]string, error) {
	pod = m.gated(pod)
	if !usesClaims(pod) {
		return nil, nil
	}
	if err := m.rebuild(ctx); err != nil {
		return nil, err
	}
	claims, err := m.containerClaims(pod, container)
	if err != nil {
		return nil, err
	}
	lost := m.unusable(claims)
	if len(lost) == 0 {
		return nodeplan.CDIDevices(claims), nil
	}
	logger := klog.FromContext(ctx)
	logger.Info("CDI devices of ResourceClaims are lost, preparing again", "pod", klog.KObj(pod), "container", container.Name, "claims", lost)
	prepareErr := m.prepareAgain(ctx, pod.UID, lost)
	if claims, err = m.containerClaims(pod, container); err != nil {
		return nil, err
	}
	if ctx.Err() != nil || slices.ContainsFunc(claims, func(c nodeplan.ContainerClaim) bool { return c.Incomplete }) {
		return nil, cmp.Or(prepareErr, errUnknownDevices)
	}
	if prepareErr != nil && m.started() != nil {
		m.config.Recorder.Event(pod, corev1.EventTypeWarning, reasonLost, prepareErr.Error())
	}
	if missing := m.unresolved(claims); len(missing) > 0 {
		logger.Error(prepareErr, "CDI devices of ResourceClaims do not resolve after preparing again", "pod", klog.KObj(pod), "devices", missing, "dirs", m.config.CDIDirs)
		if prepareErr == nil {
			m.reportUnresolved(pod, missing)
		}
	}
	return nodeplan.CDIDevices(claims), nil
}

// reportUnresolved records an event for each unresolved device: the container will not start, and the
// runtime's error names neither driver nor claim.
func (m *Manager) reportUnresolved(pod *corev1.Pod, missing []unresolvedDevice) {
	for _, d := range missing {
		m.config.Recorder.Eventf(pod, corev1.EventTypeWarning, reasonUnresolved,
			"DRA driver %s prepared ResourceClaim %s, but its CDI device %s is in no CDI spec in %s. The container cannot start unless the container runtime finds it elsewhere",
			d.Driver, d.Claim, d.CDIDevice, strings.Join(m.config.CDIDirs, " or "))
	}
}

func usesClaims(pod *corev1.Pod) bool {
	return len(pod.Spec.ResourceClaims) > 0 || pod.Status.ExtendedResourceClaimStatus != nil
}

func (m *Manager) containerClaims(pod *corev1.Pod, container *corev1.Container) ([]nodeplan.ContainerClaim, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.state.ContainerClaims(pod, container)
}

// unusable returns the claims with unknown or unresolved devices.
func (m *Manager) unusable(claims []nodeplan.ContainerClaim) []nodeplan.ClaimID {
	missing := m.unresolved(claims)
	var lost []nodeplan.ClaimID
	for _, claim := range claims {
		if claim.Incomplete || slices.ContainsFunc(missing, func(d unresolvedDevice) bool { return d.Claim == claim.ClaimID }) {
			lost = append(lost, claim.ClaimID)
		}
	}
	return lost
}

// unresolvedDevice is a CDI device missing in all CDI specs.
type unresolvedDevice struct {
	Driver    string
	Claim     nodeplan.ClaimID
	CDIDevice string
}

// unresolved returns the unresolved CDI devices of claims, without duplicates.
func (m *Manager) unresolved(claims []nodeplan.ContainerClaim) []unresolvedDevice {
	if len(claims) == 0 {
		return nil
	}
	there := m.cdiSpecs.devices()
	var missing []unresolvedDevice
	for _, claim := range claims {
		for _, device := range claim.Devices {
			for _, id := range device.CDIDeviceIDs {
				d := unresolvedDevice{Driver: device.Driver, Claim: claim.ClaimID, CDIDevice: id}
				if !there.Has(id) && !slices.Contains(missing, d) {
					missing = append(missing, d)
				}
			}
		}
	}
	return missing
}

func (m *Manager) prepareAgain(ctx context.Context, pod types.UID, claims []nodeplan.ClaimID) error {
	m.mu.Lock()
	for _, id := range claims {
		m.state.Distrust(id)
	}
	m.mu.Unlock()
	outcome := m.settle(ctx, nodeplan.Prepare, pod, nodeplan.Desired{Restore: []types.UID{pod}})
	if outcome.Err != nil {
		return fmt.Errorf("CDI devices of ResourceClaims are lost: %w", outcome.Err)
	}
	return nil
}
