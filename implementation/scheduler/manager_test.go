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
	"context"
	"errors"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/events"
	"k8s.io/dynamic-resource-allocation/structured"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
)

// testManager is the scheduler's DRA manager with a claim tracker equal to the real one, except for
// sharing pending allocations in pod groups.
type testManager struct {
	factory informers.SharedInformerFactory

	mu       sync.Mutex
	inFlight map[types.UID]*resourceapi.ResourceClaim
	assumed  map[string]*resourceapi.ResourceClaim
	// missing, if set, is Get's error for all claims.
	missing error
	// beforeAssume, if set, runs before a claim is assumed.
	beforeAssume func()
}

func newTestManager(factory informers.SharedInformerFactory) *testManager {
	m := &testManager{
		factory:  factory,
		inFlight: make(map[types.UID]*resourceapi.ResourceClaim),
		assumed:  make(map[string]*resourceapi.ResourceClaim),
	}
	// The informers must be registered before the factory starts.
	factory.Resource().V1().ResourceClaims().Informer()
	factory.Resource().V1().ResourceSlices().Informer()
	factory.Resource().V1().DeviceClasses().Informer()
	factory.Core().V1().Pods().Informer()
	return m
}

func (m *testManager) api(ctx context.Context, client kubernetes.Interface, name string) (*resourceapi.ResourceClaim, error) {
	return client.ResourceV1().ResourceClaims("ns").Get(ctx, name, metav1.GetOptions{})
}

func (m *testManager) ResourceClaims() fwk.ResourceClaimTracker     { return m }
func (m *testManager) ResourceSlices() fwk.ResourceSliceLister      { return m }
func (m *testManager) DeviceClasses() fwk.DeviceClassLister         { return testClasses{m} }
func (m *testManager) DeviceClassResolver() fwk.DeviceClassResolver { return testClasses{m} }

func (m *testManager) ListWithDeviceTaintRules() ([]*resourceapi.ResourceSlice, error) {
	return m.factory.Resource().V1().ResourceSlices().Lister().List(labels.Everything())
}

func (m *testManager) List() ([]*resourceapi.ResourceClaim, error) {
	return nil, errors.New("the plugin must not walk all claims")
}

func (m *testManager) ListAllAllocatedDevices() (sets.Set[structured.DeviceID], error) {
	return nil, errors.New("the plugin must not walk all devices")
}

func (m *testManager) GatherAllocatedState() (*structured.AllocatedState, error) {
	return nil, errors.New("the plugin must not walk all devices")
}

func (m *testManager) Get(namespace, name string) (*resourceapi.ResourceClaim, error) {
	if m.missing != nil {
		return nil, m.missing
	}
	claim, err := m.factory.Resource().V1().ResourceClaims().Lister().ResourceClaims(namespace).Get(name)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if assumed := m.assumed[namespace+"/"+name]; assumed != nil {
		if order, err := resourceversion.CompareResourceVersion(assumed.ResourceVersion, claim.ResourceVersion); err == nil && order > 0 {
			return assumed, nil
		}
	}
	return claim, nil
}

func (m *testManager) SignalClaimPendingAllocation(uid types.UID, claim *resourceapi.ResourceClaim) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.inFlight[uid] = claim
	return nil
}

func (m *testManager) GetPendingAllocation(uid types.UID) *resourceapi.AllocationResult {
	m.mu.Lock()
	defer m.mu.Unlock()
	if claim := m.inFlight[uid]; claim != nil {
		return claim.Status.Allocation
	}
	return nil
}

func (m *testManager) MaybeRemoveClaimPendingAllocation(uid types.UID, _ bool) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, ok := m.inFlight[uid]
	delete(m.inFlight, uid)
	return ok
}

func (m *testManager) AssumeClaimAfterAPICall(claim *resourceapi.ResourceClaim) error {
	if m.beforeAssume != nil {
		m.beforeAssume()
	}
	if _, err := m.factory.Resource().V1().ResourceClaims().Lister().ResourceClaims(claim.Namespace).Get(claim.Name); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.assumed[claim.Namespace+"/"+claim.Name] = claim
	return nil
}

func (m *testManager) AssumedClaimRestore(namespace, name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.assumed, namespace+"/"+name)
}

// pending returns the number of claims in flight.
func (m *testManager) pending() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.inFlight)
}

type testClasses struct{ m *testManager }

func (c testClasses) Get(name string) (*resourceapi.DeviceClass, error) {
	return c.m.factory.Resource().V1().DeviceClasses().Lister().Get(name)
}

func (c testClasses) List() ([]*resourceapi.DeviceClass, error) {
	return c.m.factory.Resource().V1().DeviceClasses().Lister().List(labels.Everything())
}

func (c testClasses) GetDeviceClass(name v1.ResourceName) *resourceapi.DeviceClass {
	classes, _ := c.List()
	for _, class := range classes {
		if class.Spec.ExtendedResourceName != nil && *class.Spec.ExtendedResourceName == string(name) ||
			resourceapi.ResourceDeviceClassPrefix+class.Name == string(name) {
			return class
		}
	}
	return nil
}

func (h *testHandle) Activate(_ klog.Logger, pods map[string]*v1.Pod) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for name := range pods {
		h.activated = append(h.activated, name)
	}
}

// woken returns the pods activated since the last call.
func (h *testHandle) woken() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	pods := h.activated
	h.activated = nil
	return pods
}

var _ events.EventRecorderLogger = &events.FakeRecorder{}

// testMetrics records metrics.
type testMetrics struct {
	mu     sync.Mutex
	counts map[string]int
}

func (m *testMetrics) count(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.counts == nil {
		m.counts = make(map[string]int)
	}
	m.counts[name]++
}

func (m *testMetrics) BindingConditionsWait(profile, driver string, outcome Outcome, _ time.Duration) {
	m.count("wait/" + profile + "/" + driver + "/" + string(outcome))
}

func (m *testMetrics) BindingConditionsAllocation(profile, driver string, outcome Outcome) {
	m.count("allocation/" + profile + "/" + driver + "/" + string(outcome))
}

func (m *testMetrics) ClaimCreate(success bool) {
	if success {
		m.count("create/success")
	} else {
		m.count("create/failure")
	}
}
