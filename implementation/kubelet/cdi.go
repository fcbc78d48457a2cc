package kubelet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"

	"github.com/dra-conformance/dratest/implementation/nodeplan"
)

// reasonLost is the kubelet's reason of events about claims that cannot be prepared.
const reasonLost = "FailedPrepareDynamicResources"

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
	if lost := m.unusable(claims); len(lost) > 0 {
		logger.Error(prepareErr, "CDI devices of ResourceClaims do not resolve after preparing again", "pod", klog.KObj(pod), "claims", lost, "dirs", m.config.CDIDirs)
	}
	return nodeplan.CDIDevices(claims), nil
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
	if len(claims) == 0 {
		return nil
	}
	devices := m.cdiSpecs.devices()
	var lost []nodeplan.ClaimID
	for _, claim := range claims {
		usable := !claim.Incomplete
		for _, id := range nodeplan.CDIDevices([]nodeplan.ContainerClaim{claim}) {
			usable = usable && devices.Has(id)
		}
		if !usable {
			lost = append(lost, claim.ClaimID)
		}
	}
	return lost
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
