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

package kubelet_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/record"
	"k8s.io/klog/v2/ktesting"
	testingclock "k8s.io/utils/clock/testing"

	"github.com/dra-conformance/dratest/implementation/kubelet"
	"github.com/dra-conformance/dratest/implementation/nodeplan"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is a node with a kubelet reduced to its DRA manager. Files and drivers survive a restart.
type world struct {
	t                *testing.T
	ctx              context.Context
	cancel           context.CancelFunc
	stateDir, cdiDir string
	client           *fake.Clientset
	recorder         *record.FakeRecorder
	clock            *testingclock.FakeClock
	counters         *counters
	gates            kubelet.Gates
	// timeout is the drivers' timeout for calls.
	timeout *time.Duration
	manager *kubelet.Manager

	mu     sync.Mutex
	active []*corev1.Pod
	ready  bool
	get    func() error
	noNode error
	// onActive returns the active pods for the manager.
	onActive func() []*corev1.Pod
}

func newWorld(t *testing.T) *world {
	w := &world{
		t: t, stateDir: t.TempDir(), cdiDir: t.TempDir(),
		client:   fake.NewClientset(),
		recorder: record.NewFakeRecorder(100),
		clock:    testingclock.NewFakeClock(time.Unix(1_000_000, 0)),
		counters: &counters{},
		gates:    kubelet.Gates{DRAExtendedResource: true, DRAOptionalNodeOperations: true, ResourceHealthStatus: true, ResourceHealthStatusMessage: true},
		ready:    true,
	}
	w.client.PrependReactor("get", "resourceclaims", w.reactToGet)
	w.start()
	t.Cleanup(w.stop)
	return w
}

func (w *world) config() kubelet.Config {
	return kubelet.Config{StateDir: w.stateDir, Client: w.client, Recorder: w.recorder, CDIDirs: []string{w.cdiDir},
		Gates: w.gates, Metrics: w.counters, Clock: w.clock}
}

func (w *world) start() {
	w.t.Helper()
	_, ctx := ktesting.NewTestContext(w.t)
	w.ctx, w.cancel = context.WithCancel(ctx)
	var err error
	if w.manager, err = kubelet.New(w.ctx, w.config()); err != nil {
		w.t.Fatal(err)
	}
	if err := w.manager.Start(w.ctx, w.activePods, w.node, w); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) stop() {
	w.t.Helper()
	w.cancel()
	w.eventually("the manager has stopped", w.manager.Stopped)
}

// restart clears the kubelet's memory. Drivers have to register again.
func (w *world) restart(drivers ...*driver) {
	w.t.Helper()
	w.stop()
	w.start()
	for _, d := range drivers {
		w.register(d)
	}
}

func (w *world) activePods() []*corev1.Pod {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.onActive != nil {
		hook := w.onActive
		w.mu.Unlock()
		defer w.mu.Lock()
		return hook()
	}
	return slices.Clone(w.active)
}

func (w *world) setActive(pods ...*corev1.Pod) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.active = pods
}

// activate adds a pod to the active ones, like the kubelet before starting it.
func (w *world) activate(p *corev1.Pod) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.active = append(w.active, p)
}

func (w *world) setReady(ready bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ready = ready
}

func (w *world) AllReady() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ready
}

func (w *world) node(context.Context) (*corev1.Node, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.noNode != nil {
		return nil, w.noNode
	}
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node-1"}}, nil
}

// reserve adds a claim to the API, reserved for pods.
func (w *world) reserve(claim *resourceapi.ResourceClaim, pods ...*corev1.Pod) {
	w.t.Helper()
	for _, p := range pods {
		claim.Status.ReservedFor = append(claim.Status.ReservedFor, resourceapi.ResourceClaimConsumerReference{Resource: "pods", Name: p.Name, UID: p.UID})
	}
	w.delete(claim.Name)
	if err := w.client.Tracker().Add(claim); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) delete(claim string) {
	_ = w.client.Tracker().Delete(resourceapi.SchemeGroupVersion.WithResource("resourceclaims"), "ns", claim)
}

// onGet returns an error for requests of claims, if any.
func (w *world) onGet(fail func() error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.get = fail
}

func (w *world) away(away bool) {
	w.onGet(func() error {
		if away {
			return errors.New("connection refused")
		}
		return nil
	})
}

func (w *world) reactToGet(clienttesting.Action) (bool, runtime.Object, error) {
	w.mu.Lock()
	fail := w.get
	w.mu.Unlock()
	if fail == nil {
		return false, nil, nil
	}
	err := fail()
	return err != nil, nil, err
}

// during advances the clock stepwise until do returns, only while everything else waits: the
// reconcile loop is the other waiter.
func (w *world) during(step time.Duration, do func() error) (time.Duration, error) {
	w.t.Helper()
	w.connected("a")
	start := w.clock.Now()
	done := make(chan error, 1)
	go func() { done <- do() }()
	var err error
	w.eventually("it is done", func() bool {
		select {
		case err = <-done:
			return true
		default:
		}
		if w.clock.Waiters() == 2 {
			w.clock.Step(step)
		}
		return false
	})
	return w.clock.Since(start), err
}

func (w *world) prepare(p *corev1.Pod) {
	w.t.Helper()
	w.activate(p)
	if err := w.manager.Prepare(w.ctx, p); err != nil {
		w.t.Error(err)
	}
}

func (w *world) unprepare(p *corev1.Pod) {
	w.t.Helper()
	if err := w.manager.Unprepare(w.ctx, p); err != nil {
		w.t.Error(err)
	}
}

func (w *world) refused(p *corev1.Pod, want string) {
	w.t.Helper()
	w.activate(p)
	w.fails(w.manager.Prepare(w.ctx, p), "prepare dynamic resources: "+want)
}

func (w *world) fails(err error, want string) {
	w.t.Helper()
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		w.t.Fatalf("error is %v, want %s", err, want)
	}
}

func (w *world) devices(p *corev1.Pod) string {
	w.t.Helper()
	ids, err := w.manager.ContainerCDIDevices(w.ctx, p, &p.Spec.Containers[0])
	if err != nil {
		w.t.Fatal(err)
	}
	return strings.Join(ids, " ")
}

// saved are the claims of the checkpoint with their pods, sorted.
func (w *world) saved() string {
	w.t.Helper()
	claims, err := nodeplan.Decode(w.file())
	if err != nil {
		w.t.Fatal(err)
	}
	var all []string
	for _, info := range claims {
		all = append(all, info.ClaimName+"="+strings.Join(sets.List(info.PodUIDs), "+"))
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

func (w *world) path() string { return filepath.Join(w.stateDir, "dra_manager_state") }

func (w *world) file() []byte {
	w.t.Helper()
	file, err := os.ReadFile(w.path())
	if err != nil {
		w.t.Fatal(err)
	}
	return file
}

func (w *world) equal(what, got, want string) {
	w.t.Helper()
	if got != want {
		w.t.Errorf("%s: %q, want %q", what, got, want)
	}
}

func (w *world) eventually(what string, fact func() bool) {
	w.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if fact() {
			return
		}
	}
	w.t.Fatalf("did not happen: %s", what)
}

func (w *world) events() []string {
	var events []string
	for {
		select {
		case event := <-w.recorder.Events:
			events = append(events, event)
		default:
			return events
		}
	}
}

// pod returns a pod whose UID is its name, with a container that uses all its claims.
func pod(name string, claims ...string) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, UID: types.UID(name)}}
	p.Spec.Containers = []corev1.Container{{Name: "main"}}
	for _, claim := range claims {
		p.Spec.ResourceClaims = append(p.Spec.ResourceClaims, corev1.PodResourceClaim{Name: "entry-" + claim, ResourceClaimName: &claim})
		p.Spec.Containers[0].Resources.Claims = append(p.Spec.Containers[0].Resources.Claims, corev1.ResourceClaim{Name: "entry-" + claim})
	}
	return p
}

// claim returns an allocated claim whose UID is its name, with a device per driver.
func claim(name string, drivers ...string) *resourceapi.ResourceClaim {
	c := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, UID: types.UID(name)}}
	c.Status.Allocation = &resourceapi.AllocationResult{}
	for _, driver := range drivers {
		c.Status.Allocation.Devices.Results = append(c.Status.Allocation.Devices.Results,
			resourceapi.DeviceRequestAllocationResult{Request: "req", Driver: driver, Pool: "pool", Device: "dev-" + name})
	}
	return c
}

// standalone starts with the required configuration only.
func (w *world) standalone() {
	w.t.Helper()
	w.ctx, w.cancel = context.WithCancel(w.t.Context())
	var err error
	if w.manager, err = kubelet.New(w.ctx, kubelet.Config{StateDir: w.stateDir, CDIDirs: []string{w.cdiDir}}); err != nil {
		w.t.Fatal(err)
	}
	if err := w.manager.Start(w.ctx, w.activePods, w.node, w); err != nil {
		w.t.Fatal(err)
	}
}
