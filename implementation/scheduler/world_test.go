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
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"
	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/events"
	fwk "k8s.io/kube-scheduler/framework"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is an API server with the test's objects and a plugin with real informers.
type world struct {
	t       testing.TB
	ctx     context.Context
	client  *fake.Clientset
	handle  *testHandle
	manager *testManager
	metrics *testMetrics
	plugin  *Plugin
	nodes   []*v1.Node
}

// newWorld starts the plugin with default arguments.
func newWorld(t testing.TB, objects ...runtime.Object) *world {
	t.Helper()
	return newWorldWith(t, DefaultArgs(), AllFeatures(), objects...)
}

func newWorldWith(t testing.TB, args DRAArgs, features Features, objects ...runtime.Object) *world {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	w := &world{t: t, ctx: ctx, metrics: &testMetrics{}}
	var versions atomic.Int64
	for _, object := range objects {
		if node, ok := object.(*v1.Node); ok {
			w.nodes = append(w.nodes, node)
		}
		setVersion(object, versions.Add(1))
	}
	w.client = fake.NewClientset(objects...)
	w.client.PrependReactor("*", "*", func(action clienttesting.Action) (bool, runtime.Object, error) {
		switch action := action.(type) {
		case clienttesting.CreateActionImpl:
			object := action.GetObject()
			setVersion(object, versions.Add(1))
			if accessor, err := meta.Accessor(object); err == nil && accessor.GetName() == "" {
				accessor.SetName(accessor.GetGenerateName() + "x")
				accessor.SetUID(types.UID("uid-" + accessor.GetName()))
			}
		case clienttesting.UpdateActionImpl:
			setVersion(action.GetObject(), versions.Add(1))
		}
		return false, nil, nil
	})
	// The fake API server does not send a watch earlier events.
	watched := make(chan struct{}, 100)
	w.client.PrependWatchReactor("*", func(action clienttesting.Action) (bool, watch.Interface, error) {
		i, err := w.client.Tracker().Watch(action.GetResource(), action.GetNamespace())
		watched <- struct{}{}
		return true, i, err
	})
	factory := informers.NewSharedInformerFactory(w.client, 0)
	w.manager = newTestManager(factory)
	w.handle = &testHandle{client: w.client, factory: factory, manager: w.manager, recorder: events.NewFakeRecorder(100), nodes: w.nodes}
	plugins := NewFactory(Config{Features: func() (Features, error) { return features, nil }, Metrics: w.metrics})
	plugin, err := plugins.New(ctx, nil, w.handle)
	if err != nil {
		t.Fatal(err)
	}
	w.plugin = plugin.(*Plugin)
	w.plugin.args = args
	factory.Start(ctx.Done())
	for range factory.WaitForCacheSync(ctx.Done()) {
		<-watched
	}
	if err := w.plugin.cluster.waitSynced(ctx); err != nil {
		t.Fatal(err)
	}
	w.handle.woken() // Pods may start while their claims are being listed.
	t.Cleanup(func() {
		cancel()
		factory.Shutdown()
	})
	return w
}

func setVersion(object runtime.Object, version int64) {
	if accessor, err := meta.Accessor(object); err == nil {
		accessor.SetResourceVersion(strconv.FormatInt(version, 10))
	}
}

// testHandle implements the parts of the framework used by the plugin.
type testHandle struct {
	fwk.Handle
	client   kubernetes.Interface
	factory  informers.SharedInformerFactory
	manager  *testManager
	recorder *events.FakeRecorder
	nodes    []*v1.Node

	mu        sync.Mutex
	activated []string
}

func (h *testHandle) ClientSet() kubernetes.Interface                        { return h.client }
func (h *testHandle) SharedInformerFactory() informers.SharedInformerFactory { return h.factory }
func (h *testHandle) SharedDRAManager() fwk.SharedDRAManager                 { return h.manager }
func (h *testHandle) EventRecorder() events.EventRecorderLogger              { return h.recorder }
func (h *testHandle) ProfileName() string                                    { return "profile" }
func (h *testHandle) SnapshotSharedLister() fwk.SharedLister                 { return testSnapshot{nodes: h.nodes} }

// testSnapshot has the nodes of a world.
type testSnapshot struct {
	fwk.SharedLister
	fwk.NodeInfoLister
	nodes []*v1.Node
}

func (s testSnapshot) NodeInfos() fwk.NodeInfoLister { return s }

func (s testSnapshot) Get(name string) (fwk.NodeInfo, error) {
	for _, node := range s.nodes {
		if node.Name == name {
			return testNode{node: node}, nil
		}
	}
	return nil, fmt.Errorf("node %s not found", name)
}

// testCycle is the CycleState of one attempt.
type testCycle struct {
	fwk.CycleState
	data map[fwk.StateKey]fwk.StateData
}

func (c *testCycle) Read(key fwk.StateKey) (fwk.StateData, error) {
	if data, ok := c.data[key]; ok {
		return data, nil
	}
	return nil, fwk.ErrNotFound
}

func (c *testCycle) Write(key fwk.StateKey, data fwk.StateData) { c.data[key] = data }

type testNode struct {
	fwk.NodeInfo
	fwk.Resource
	node *v1.Node
}

func (n testNode) Node() *v1.Node               { return n.node }
func (n testNode) GetAllocatable() fwk.Resource { return n }
func (n testNode) GetScalarResources() map[v1.ResourceName]int64 {
	resources := make(map[v1.ResourceName]int64)
	for name, quantity := range n.node.Status.Allocatable {
		resources[name] = quantity.Value()
	}
	return resources
}

// String is ambiguous in the embedded interfaces.
func (n testNode) String() string { return n.node.Name }

// run is one attempt to schedule a pod, with the framework's order of calls.
type run struct {
	w     *world
	pod   *v1.Pod
	cycle *testCycle
	// node is the chosen one: the best score, then the first name.
	node string
	// rejected has the message for each rejected node, or "" for all.
	rejected map[string]string
}

// find runs PreFilter, Filter, PreScore and Score.
func (w *world) find(pod *v1.Pod) *run {
	w.t.Helper()
	r := &run{w: w, pod: pod, cycle: &testCycle{data: make(map[fwk.StateKey]fwk.StateData)}, rejected: make(map[string]string)}
	_, status := w.plugin.PreFilter(w.ctx, r.cycle, pod, nil)
	if status.IsSkip() {
		r.node = w.nodes[0].Name
		return r
	}
	if !status.IsSuccess() {
		r.rejected[""] = status.Message()
		return r
	}
	var fitting []fwk.NodeInfo
	for _, node := range w.nodes {
		info := testNode{node: node}
		if status := w.plugin.Filter(w.ctx, r.cycle, pod, info); !status.IsSuccess() {
			r.rejected[node.Name] = status.Message()
			continue
		}
		fitting = append(fitting, info)
	}
	if status := w.plugin.PreScore(w.ctx, r.cycle, pod, fitting); !status.IsSuccess() && !status.IsSkip() {
		w.t.Fatalf("PreScore: %v", status)
	}
	best := int64(-1)
	for _, info := range fitting {
		score, status := w.plugin.Score(w.ctx, r.cycle, pod, info)
		if !status.IsSuccess() {
			w.t.Fatalf("Score: %v", status)
		}
		if score > best {
			best, r.node = score, info.Node().Name
		}
	}
	return r
}

// bind runs Reserve and PreBind, and Unreserve after a failure. It returns the failure's message.
func (r *run) bind() string {
	r.w.t.Helper()
	if r.node == "" {
		r.w.t.Fatalf("no node for pod %s: %v", r.pod.Name, r.rejected)
	}
	status := r.w.plugin.Reserve(r.w.ctx, r.cycle, r.pod, r.node)
	if status.IsSuccess() {
		status = r.w.plugin.PreBind(r.w.ctx, r.cycle, r.pod, r.node)
	}
	if status.IsSuccess() {
		return ""
	}
	r.w.plugin.Unreserve(r.w.ctx, r.cycle, r.pod, r.node)
	return status.Message()
}

// postFilter runs PostFilter.
func (r *run) postFilter() string {
	r.w.t.Helper()
	_, status := r.w.plugin.PostFilter(r.w.ctx, r.cycle, r.pod, nil)
	return status.Message()
}

// schedule runs find and bind, and fails the test on any error.
func (w *world) schedule(pod *v1.Pod) *run {
	w.t.Helper()
	r := w.find(pod)
	if message := r.bind(); message != "" {
		w.t.Fatalf("bind pod %s: %s", pod.Name, message)
	}
	return r
}

// wantRejected checks that all nodes reject the pod with a text.
func (r *run) wantRejected(text string) {
	r.w.t.Helper()
	if r.node != "" {
		r.w.t.Fatalf("pod %s fits node %s, want rejection with %q", r.pod.Name, r.node, text)
	}
	for node, message := range r.rejected {
		if !strings.Contains(message, text) {
			r.w.t.Errorf("node %q rejects with %q, want %q in it", node, message, text)
		}
	}
}

// claim returns a claim from the API server.
func (w *world) claim(name string) *resourceapi.ResourceClaim {
	w.t.Helper()
	claim, err := w.manager.api(w.ctx, w.client, name)
	if err != nil {
		w.t.Fatal(err)
	}
	return claim
}
