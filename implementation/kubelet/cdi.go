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
	// reasonLost is the kubelet's reason of events about claims that cannot be prepared.
	reasonLost = "FailedPrepareDynamicResources"
	// reasonUnresolved is that of events about drivers that prepared a claim with
	// success, but whose CDI devices are not there. The kubelet has no such event: the
	// container runtime's error does not name the driver.
	reasonUnresolved = "UnresolvedCDIDevices"
)

var errUnknownDevices = errors.New("the devices of ResourceClaims are not known")

// ContainerCDIDevices returns the CDI devices of a container or init container that is
// about to start: those of the requests that it names and no others.
//
// If devices are not known any more, or do not resolve, then the claims are prepared
// again first: a container would start without its devices, or not at all, as long as
// the pod's sandbox is there (kubernetes#141433). If that fails, then a container does
// not start whose devices are not known. Of those that do not resolve here the container
// runtime has the last word: it may have other directories.
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
			m.tellUnresolved(pod, missing)
		}
	}
	return nodeplan.CDIDevices(claims), nil
}

// tellUnresolved has one event for each device: the container is not going to start,
// and the runtime's error names neither driver nor claim.
func (m *Manager) tellUnresolved(pod *corev1.Pod, missing []unresolvedDevice) {
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

// unusable returns the claims whose devices are not known or do not resolve.
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

// unresolvedDevice is a CDI device of a claim that no CDI spec has.
type unresolvedDevice struct {
	Driver    string
	Claim     nodeplan.ClaimID
	CDIDevice string
}

// unresolved returns the CDI devices of claims that do not resolve, each once.
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
