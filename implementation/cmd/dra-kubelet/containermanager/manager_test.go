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
	"path/filepath"
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/ktesting"
	pluginregistration "k8s.io/kubelet/pkg/apis/pluginregistration/v1"
	"k8s.io/kubernetes/pkg/kubelet/cm"
	stockdra "k8s.io/kubernetes/pkg/kubelet/cm/dra"
	"k8s.io/kubernetes/pkg/kubelet/cm/dra/state"
	"k8s.io/kubernetes/pkg/kubelet/cm/resourceupdates"
	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"
	"k8s.io/kubernetes/pkg/kubelet/pluginmanager/cache"
	"k8s.io/utils/ptr"

	dra "github.com/dra-conformance/dratest/implementation/kubelet"
)

// inner stands for the kubelet's ContainerManager with the real DRA manager. Missing methods panic.
type inner struct {
	cm.ContainerManager
	stock   *stockdra.Manager
	devices map[v1.ResourceName]string // from device plugins, by limit
	updates chan resourceupdates.Update
}

func (i *inner) Updates() <-chan resourceupdates.Update { return i.updates }

func (i *inner) GetPluginRegistrationHandlers() map[string]cache.PluginHandler {
	return map[string]cache.PluginHandler{
		pluginregistration.DevicePlugin: nil,
		pluginregistration.DRAPlugin:    i.stock.GetWatcherHandler(),
	}
}

func (i *inner) GetResources(_ context.Context, pod *v1.Pod, container *v1.Container) (*kubecontainer.RunContainerOptions, error) {
	info, err := i.stock.GetResources(pod, container)
	if err != nil {
		return nil, err
	}
	options := &kubecontainer.RunContainerOptions{CDIDevices: info.CDIDevices}
	for name := range container.Resources.Limits {
		options.CDIDevices = append(options.CDIDevices, kubecontainer.CDIDevice{Name: i.devices[name]})
	}
	return options, nil
}

func (i *inner) UpdateAllocatedResourcesStatus(logger klog.Logger, pod *v1.Pod, status *v1.PodStatus) {
	i.stock.UpdateAllocatedResourcesStatus(logger, pod, status)
}

// newManager returns a manager with the pod's claims prepared in its checkpoint.
func newManager(t *testing.T) (*manager, *inner) {
	t.Helper()
	logger, ctx := ktesting.NewTestContext(t)
	ctx, cancel := context.WithCancel(ctx)
	t.Cleanup(cancel)
	stock, err := stockdra.NewManager(logger, fake.NewClientset(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	device := func(request, id string) state.Device {
		return state.Device{PoolName: "pool", DeviceName: request, RequestNames: []string{request}, CDIDeviceIDs: []string{id}}
	}
	prepared := func(name, request, id string) state.ClaimInfoState {
		drivers := map[string]state.DriverState{"driver": {Devices: []state.Device{device(request, id)}}}
		return state.ClaimInfoState{ClaimUID: types.UID("uid of " + name), ClaimName: name, Namespace: "default",
			PodUIDs: sets.New("pod-uid"), DriverState: drivers}
	}
	checkpoint, err := state.NewCheckpoint(state.ClaimInfoStateList{
		prepared("claim", "req", "vendor.com/gpu=claimed"),
		prepared("extended", "container-0-request-0", "vendor.com/gpu=extended"),
	})
	if err != nil {
		t.Fatal(err)
	}
	content, err := checkpoint.MarshalCheckpoint()
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(folder, "dra_manager_state"), string(content))
	write(t, filepath.Join(folder, "gpu.json"), `{"cdiVersion": "0.6.0", "kind": "vendor.com/gpu", "devices": [
		{"name": "claimed", "containerEdits": {"env": ["A=B"]}}, {"name": "extended", "containerEdits": {"env": ["A=B"]}}]}`)
	own, err := dra.New(ctx, dra.Config{StateDir: folder, Client: fake.NewClientset(), CDIDirs: []string{folder}, Gates: dra.Gates{DRAExtendedResource: true}})
	if err != nil {
		t.Fatal(err)
	}
	stocks := &inner{stock: stock, devices: map[v1.ResourceName]string{"example.com/nic": "vendor.com/nic=plugin"}, updates: make(chan resourceupdates.Update)}
	return wrap(ctx, stocks, own), stocks
}

// newPod returns a pod with a claim, device plugin resources, and DRA extended resources.
func newPod() *v1.Pod {
	pod := &v1.Pod{}
	pod.Name, pod.Namespace, pod.UID = "pod", "default", "pod-uid"
	pod.Spec.ResourceClaims = []v1.PodResourceClaim{{Name: "c", ResourceClaimName: ptr.To("claim")}}
	two := v1.ResourceList{"example.com/gpu": resource.MustParse("1"), "example.com/nic": resource.MustParse("1")}
	pod.Spec.Containers = []v1.Container{{Name: "main", Resources: v1.ResourceRequirements{
		Claims: []v1.ResourceClaim{{Name: "c"}}, Requests: two, Limits: v1.ResourceList{"example.com/nic": resource.MustParse("1")},
	}}}
	pod.Status.ExtendedResourceClaimStatus = &v1.PodExtendedResourceClaimStatus{ResourceClaimName: "extended", RequestMappings: []v1.ContainerExtendedResourceRequest{
		{ContainerName: "main", ResourceName: "example.com/gpu", RequestName: "container-0-request-0"},
	}}
	return pod
}

// The kubelet's DRA manager knows no claims. Containers with claims failed with
// CreateContainerConfigError, "internal error: unable to get claim info".
func TestResourcesOfClaimsAndDevicePlugins(t *testing.T) {
	m, stocks := newManager(t)
	pod := newPod()
	container := pod.Spec.Containers[0].DeepCopy()
	if _, err := stocks.GetResources(t.Context(), pod, container); err == nil {
		t.Fatal("the kubelet's DRA manager should not know the claims")
	}
	options, err := m.GetResources(t.Context(), pod, container)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, device := range options.CDIDevices {
		got = append(got, device.Name)
	}
	if want := []string{"vendor.com/gpu=claimed", "vendor.com/gpu=extended", "vendor.com/nic=plugin"}; !slices.Equal(got, want) {
		t.Errorf("CDI devices are %v, want %v", got, want)
	}
	if !equality.Semantic.DeepEqual(container, &pod.Spec.Containers[0]) {
		t.Error("the container was changed")
	}
}

func TestDriversRegisterWithTheOwnManager(t *testing.T) {
	m, _ := newManager(t)
	handlers := m.GetPluginRegistrationHandlers()
	if len(handlers) != 2 || handlers[pluginregistration.DRAPlugin] != cache.PluginHandler(m.dra) {
		t.Errorf("handlers are %v", handlers)
	}
}

func TestTerminationWaitsForOwnClaims(t *testing.T) {
	m, _ := newManager(t)
	if !m.PodMightNeedToUnprepareResources("pod-uid") {
		t.Error("the pod has prepared claims")
	}
	if m.PodMightNeedToUnprepareResources("other") {
		t.Error("the other pod has none")
	}
}

func TestPodResourcesAreOwn(t *testing.T) {
	m, _ := newManager(t)
	pod := newPod()
	logger, _ := ktesting.NewTestContext(t)
	if claims := m.GetDynamicResources(logger, pod, &pod.Spec.Containers[0]); len(claims) != 2 {
		t.Errorf("claims are %v", claims)
	}
}

// The kubelet's DRA manager rebuilds the status of containers with claims from a map.
func TestStatusOfDevicePluginsKeepsItsOrder(t *testing.T) {
	m, _ := newManager(t)
	var want []v1.ResourceStatus
	for _, name := range []v1.ResourceName{"e", "d", "c", "b", "a"} {
		want = append(want, v1.ResourceStatus{Name: name, Resources: []v1.ResourceHealth{{ResourceID: "1"}}})
	}
	logger, _ := ktesting.NewTestContext(t)
	for range 10 {
		status := &v1.PodStatus{ContainerStatuses: []v1.ContainerStatus{{Name: "main", AllocatedResourcesStatus: slices.Clone(want)}}}
		m.UpdateAllocatedResourcesStatus(logger, newPod(), status)
		if got := status.ContainerStatuses[0].AllocatedResourcesStatus; !equality.Semantic.DeepEqual(got[:5], want) {
			t.Fatalf("status is %v", got)
		}
	}
}

func TestPodWithoutClaimsIsNotCopied(t *testing.T) {
	pod := newPod()
	if podWithoutClaims(pod) == pod || len(pod.Spec.Containers[0].Resources.Claims) != 1 {
		t.Error("a pod with claims must be copied")
	}
	pod.Spec.Containers[0].Resources.Claims = nil
	if podWithoutClaims(pod) != pod {
		t.Error("a pod without claims must not be copied")
	}
}

// The kubelet calls Updates before each wait.
func TestUpdatesOfBothComeFromOneChannel(t *testing.T) {
	m, stocks := newManager(t)
	updates := m.Updates()
	for _, pod := range []string{"a", "b"} {
		stocks.updates <- resourceupdates.Update{PodUIDs: []string{pod}}
		if update := <-updates; !slices.Equal(update.PodUIDs, []string{pod}) {
			t.Errorf("update of %v, want %s", update.PodUIDs, pod)
		}
		if m.Updates() != updates {
			t.Error("the channel has changed")
		}
	}
}

func TestUpdatesGoOnWhenOneSourceEnds(t *testing.T) {
	claims, others := make(chan []types.UID), make(chan resourceupdates.Update)
	ctx, cancel := context.WithCancel(t.Context())
	updates := fanIn(ctx, claims, others)
	close(others)
	claims <- []types.UID{"a", "b"}
	if update := <-updates; !slices.Equal(update.PodUIDs, []string{"a", "b"}) {
		t.Errorf("update of %v", update.PodUIDs)
	}
	cancel()
}

// With a node, the kubelet's DRA manager would delete its ResourceSlices.
func TestNoNodeUntilTheEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if node, err := noNode(ctx); node != nil || !apierrors.IsNotFound(err) {
		t.Errorf("node %v, error %v", node, err)
	}
}
