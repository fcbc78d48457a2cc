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

package containermanager

import (
	"context"
	"fmt"
	"maps"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	internalapi "k8s.io/cri-api/pkg/apis"
	"k8s.io/klog/v2"
	pluginregistration "k8s.io/kubelet/pkg/apis/pluginregistration/v1"
	podresources "k8s.io/kubelet/pkg/apis/podresources/v1"
	"k8s.io/kubernetes/pkg/kubelet/cm"
	"k8s.io/kubernetes/pkg/kubelet/cm/resourceupdates"
	"k8s.io/kubernetes/pkg/kubelet/config"
	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"
	"k8s.io/kubernetes/pkg/kubelet/pluginmanager/cache"
	"k8s.io/kubernetes/pkg/kubelet/status"

	dra "github.com/dra-conformance/dratest/implementation/kubelet"
)

// manager is a ContainerManager with its own DRA manager. Everything else goes to the kubelet's,
// without claims.
type manager struct {
	cm.ContainerManager
	dra     *dra.Manager
	updates <-chan resourceupdates.Update
}

var _ cm.ContainerManager = &manager{}

func wrap(ctx context.Context, inner cm.ContainerManager, own *dra.Manager) *manager {
	return &manager{ContainerManager: inner, dra: own, updates: fanIn(ctx, own.Updates(), inner.Updates())}
}

// Start starts the DRA manager, then the kubelet's ContainerManager.
func (m *manager) Start(ctx context.Context, node *v1.Node, activePods cm.ActivePodsFunc, getNode cm.GetNodeFunc, sourcesReady config.SourcesReady,
	podStatuses status.PodStatusProvider, runtime internalapi.RuntimeService, localStorageCapacityIsolation bool) error {
	if err := m.dra.Start(ctx, dra.ActivePods(activePods), dra.GetNode(getNode), sourcesReady); err != nil {
		return fmt.Errorf("start the DRA manager: %w", err)
	}
	klog.FromContext(ctx).V(2).Info("Started the DRA manager")
	return m.ContainerManager.Start(ctx, node, activePods, noNode, sourcesReady, podStatuses, runtime, localStorageCapacityIsolation)
}

// noNode stops the kubelet's DRA manager from deleting the node's ResourceSlices: that waits for the
// node first. It has no other callers. At the end it returns NotFound, the only error not logged.
func noNode(ctx context.Context) (*v1.Node, error) {
	<-ctx.Done()
	return nil, apierrors.NewNotFound(v1.Resource("nodes"), "")
}

// GetPluginRegistrationHandlers hands DRA drivers to the DRA manager.
func (m *manager) GetPluginRegistrationHandlers() map[string]cache.PluginHandler {
	handlers := maps.Clone(m.ContainerManager.GetPluginRegistrationHandlers())
	handlers[pluginregistration.DRAPlugin] = m.dra
	return handlers
}

// GetResources returns the claims' CDI devices before the device plugins' resources.
func (m *manager) GetResources(ctx context.Context, pod *v1.Pod, container *v1.Container) (*kubecontainer.RunContainerOptions, error) {
	ids, err := m.dra.ContainerCDIDevices(ctx, pod, container)
	if err != nil {
		return nil, err
	}
	options, err := m.ContainerManager.GetResources(ctx, pod, withoutClaims(container))
	if err != nil {
		return nil, err
	}
	devices := make([]kubecontainer.CDIDevice, 0, len(ids)+len(options.CDIDevices))
	for _, id := range ids {
		devices = append(devices, kubecontainer.CDIDevice{Name: id})
	}
	options.CDIDevices = append(devices, options.CDIDevices...)
	return options, nil
}

// PrepareDynamicResources prepares the claims of a pod.
func (m *manager) PrepareDynamicResources(ctx context.Context, pod *v1.Pod) error {
	return m.dra.Prepare(ctx, pod)
}

// UnprepareDynamicResources unprepares the claims of a pod.
func (m *manager) UnprepareDynamicResources(ctx context.Context, pod *v1.Pod) error {
	return m.dra.Unprepare(ctx, pod)
}

// PodMightNeedToUnprepareResources delays reporting a pod as terminated.
func (m *manager) PodMightNeedToUnprepareResources(uid types.UID) bool {
	return m.dra.MightNeedToUnprepare(uid)
}

// GetDynamicResources serves the podresources API.
func (m *manager) GetDynamicResources(logger klog.Logger, pod *v1.Pod, container *v1.Container) []*podresources.DynamicResource {
	return m.dra.PodResources(klog.NewContext(context.Background(), logger), pod, container)
}

// UpdateAllocatedResourcesStatus adds the health of devices after that of device plugins.
func (m *manager) UpdateAllocatedResourcesStatus(logger klog.Logger, pod *v1.Pod, status *v1.PodStatus) {
	m.ContainerManager.UpdateAllocatedResourcesStatus(logger, podWithoutClaims(pod), status)
	m.dra.UpdateStatus(klog.NewContext(context.Background(), logger), pod, status)
}

// Updates returns the same channel each time, because the kubelet calls it before each wait.
func (m *manager) Updates() <-chan resourceupdates.Update { return m.updates }
