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

package scheduler

import (
	"sync"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
)

// testHandle is the part of the framework used by the plugin.
type testHandle struct {
	fwk.Handle
	client  kubernetes.Interface
	factory informers.SharedInformerFactory
	manager *testManager
	stop    func()

	mu    sync.Mutex
	woken sets.Set[string]
}

func (h *testHandle) ClientSet() kubernetes.Interface                        { return h.client }
func (h *testHandle) KubeConfig() *rest.Config                               { return nil }
func (h *testHandle) SharedInformerFactory() informers.SharedInformerFactory { return h.factory }
func (h *testHandle) SharedDRAManager() fwk.SharedDRAManager                 { return h.manager }

func (h *testHandle) Activate(_ klog.Logger, pods map[string]*v1.Pod) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, pod := range pods {
		h.woken.Insert(pod.Name)
	}
}

func (h *testHandle) next() (string, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, name := range sets.List(h.woken) {
		h.woken.Delete(name)
		return name, true
	}
	return "", false
}

// testManager has claims from an informer, and assumed ones.
type testManager struct {
	fwk.SharedDRAManager
	fwk.ResourceClaimTracker
	factory informers.SharedInformerFactory

	mu      sync.Mutex
	assumed map[string]*resourceapi.ResourceClaim
}

func (m *testManager) ResourceClaims() fwk.ResourceClaimTracker { return m }
func (m *testManager) DeviceClasses() fwk.DeviceClassLister     { return testClasses{m.factory} }

func (m *testManager) Get(namespace, name string) (*resourceapi.ResourceClaim, error) {
	claim, err := m.factory.Resource().V1().ResourceClaims().Lister().ResourceClaims(namespace).Get(name)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if assumed := m.assumed[name]; assumed != nil {
		if order, err := resourceversion.CompareResourceVersion(assumed.ResourceVersion, claim.ResourceVersion); err == nil && order > 0 {
			return assumed, nil
		}
	}
	return claim, nil
}

func (m *testManager) AssumeClaimAfterAPICall(claim *resourceapi.ResourceClaim) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.assumed[claim.Name] = claim
	return nil
}

type testClasses struct {
	factory informers.SharedInformerFactory
}

func (c testClasses) Get(name string) (*resourceapi.DeviceClass, error) {
	return c.factory.Resource().V1().DeviceClasses().Lister().Get(name)
}

func (c testClasses) List() ([]*resourceapi.DeviceClass, error) { return nil, nil }

type testNode struct {
	fwk.NodeInfo
	node *v1.Node
}

func (n testNode) Node() *v1.Node { return n.node }

type testCycle struct {
	fwk.CycleState
	data map[fwk.StateKey]fwk.StateData
}

func newCycle() *testCycle { return &testCycle{data: map[fwk.StateKey]fwk.StateData{}} }

func (c *testCycle) Read(key fwk.StateKey) (fwk.StateData, error) {
	if data, ok := c.data[key]; ok {
		return data, nil
	}
	return nil, fwk.ErrNotFound
}

func (c *testCycle) Write(key fwk.StateKey, data fwk.StateData) { c.data[key] = data }

// nodeStatuses are why nodes do not fit; absent is for unfiltered ones. It names the plugin if one
// rejected the pod earlier.
type nodeStatuses struct {
	fwk.NodeToStatusReader
	nodes  map[string]*fwk.Status
	absent *fwk.Status
}

func (s nodeStatuses) Get(node string) *fwk.Status {
	if status, ok := s.nodes[node]; ok {
		return status
	}
	return s.absent
}
