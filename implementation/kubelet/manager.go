package kubelet

import (
	"context"
	"errors"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/component-base/metrics"
	podresources "k8s.io/kubelet/pkg/apis/podresources/v1"
)

// Manager prepares the claims of pods on this node.
type Manager struct {
	config Config
	// updates are pods whose devices have changed their health.
	updates chan []types.UID
}

var errNotYet = errors.New("not implemented yet")

// New reads the checkpoint. It fails if there is one that it cannot or must not use.
func New(ctx context.Context, config Config) (*Manager, error) {
	if err := config.setDefaults(); err != nil {
		return nil, err
	}
	_ = ctx
	return &Manager{config: config, updates: make(chan []types.UID)}, nil
}

// Start begins what goes on in the background until ctx is done. Plugins can be
// registered and pods prepared from then on.
func (m *Manager) Start(_ context.Context, _ ActivePods, _ GetNode, _ SourcesReady) error {
	return nil
}

// ValidatePlugin says whether a plugin can be used. Together with RegisterPlugin and
// DeRegisterPlugin it makes the Manager the kubelet's handler for plugins of type
// DRAPlugin.
func (m *Manager) ValidatePlugin(_ context.Context, _, _ string, _ []string) error {
	return errNotYet
}

// RegisterPlugin adds a plugin of a driver. There may be several, the newest that has
// a connection is used. A timeout of nil means nodeplan.DefaultTimeout for each call.
func (m *Manager) RegisterPlugin(_ context.Context, _, _ string, _ []string, _ *time.Duration) error {
	return errNotYet
}

// DeRegisterPlugin removes a plugin.
func (m *Manager) DeRegisterPlugin(_ context.Context, _, _ string) {}

// Prepare prepares the claims of a pod that is about to start.
func (m *Manager) Prepare(_ context.Context, _ *corev1.Pod) error { return errNotYet }

// Unprepare unprepares the claims of a pod whose containers are gone, except those that
// other pods use.
func (m *Manager) Unprepare(_ context.Context, _ *corev1.Pod) error { return errNotYet }

// MightNeedToUnprepare says whether a pod still has claims here. It must not be
// reported as terminated before.
func (m *Manager) MightNeedToUnprepare(_ types.UID) bool { return false }

// ContainerCDIDevices returns the CDI devices of a container or init container that is
// about to start: those of the requests that it names and no others. They come before
// all other CDI devices of the container.
func (m *Manager) ContainerCDIDevices(_ context.Context, _ *corev1.Pod, _ *corev1.Container) ([]string, error) {
	return nil, errNotYet
}

// PodResources returns the claims of a container for the podresources API.
func (m *Manager) PodResources(_ context.Context, _ *corev1.Pod, _ *corev1.Container) []*podresources.DynamicResource {
	return nil
}

// UpdateStatus adds the health of the containers' devices to a pod's status.
func (m *Manager) UpdateStatus(_ context.Context, _ *corev1.Pod, _ *corev1.PodStatus) {}

// Updates returns pods whose status is to be made anew because the health of devices
// has changed. It always returns the same channel.
func (m *Manager) Updates() <-chan []types.UID { return m.updates }

// Collector has the metric dra_resource_claims_in_use.
func (m *Manager) Collector() metrics.StableCollector { return nil }
