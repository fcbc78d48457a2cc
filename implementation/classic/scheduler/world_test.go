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
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	fakediscovery "k8s.io/client-go/discovery/fake"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/dra-conformance/dratest/implementation/classic/api/v1alpha1"
	"github.com/dra-conformance/dratest/implementation/classic/client"
	"github.com/dra-conformance/dratest/implementation/classic/client/fake"
	"github.com/dra-conformance/dratest/implementation/classic/controller"
	"github.com/dra-conformance/dratest/implementation/classic/parametersref"
	"github.com/dra-conformance/dratest/implementation/classic/sampledriver"
	"github.com/dra-conformance/dratest/implementation/controllers/apitest"
)

func TestMain(m *testing.M) { apitest.Main(m) }

// world is an API server, drivers with their controllers, and a scheduler with only the plugin.
// Pods are retried when the plugin wakes them, never because of time.
type world struct {
	*apitest.Cluster
	classic *fake.Client
	plugin  *Plugin
	handle  *testHandle
	// full are nodes where pods do not fit for another reason.
	full sets.Set[string]
	// rejects makes another plugin reject all pods before filtering.
	rejects bool
	// evictions counts attempts reaching the evicting plugins.
	evictions int
	// attempts counts the attempts of all pods.
	attempts int
	// last is the last rejection by pod.
	last map[string]string
	// beforeAttempt, if set, runs before each attempt, and afterFilter before PostFilter.
	beforeAttempt, afterFilter func()
	stops                      []func()
}

// story has nodes a, b and c, and the device classes "one" and "two" of drivers of these names.
func story(t *testing.T, tell func(*world), objects ...runtime.Object) {
	t.Helper()
	for _, name := range []string{"a", "b", "c"} {
		objects = append(objects, &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"name": name}}})
	}
	objects = append(objects, deviceClass("one"), deviceClass("two"))
	apitest.Story(t, func(c *apitest.Cluster) {
		classic, err := fake.New(
			&v1alpha1.ResourceClass{ObjectMeta: metav1.ObjectMeta{Name: "one"}, DriverName: "one"},
			&v1alpha1.ResourceClass{ObjectMeta: metav1.ObjectMeta{Name: "two"}, DriverName: "two"})
		c.Must(err)
		w := &world{Cluster: c, classic: classic, full: sets.New[string](), last: map[string]string{}}
		defer func() {
			for _, stop := range slices.Backward(w.stops) {
				stop()
			}
		}()
		tell(w)
	}, objects...)
}

// startScheduler replaces a running scheduler. It tries all pods.
func (w *world) startScheduler() {
	w.Helper()
	if w.handle != nil {
		w.handle.stop()
	}
	ctx, cancel := context.WithCancel(w.Ctx)
	factory := informers.NewSharedInformerFactory(w, 0)
	w.handle = &testHandle{client: w, factory: factory, manager: &testManager{factory: factory, assumed: map[string]*resourceapi.ResourceClaim{}}, woken: sets.New[string]()}
	claims, pods := factory.Resource().V1().ResourceClaims().Informer(), factory.Core().V1().Pods()
	factory.Resource().V1().DeviceClasses().Informer()
	plugin, err := NewFactory(Config{Connect: func(*rest.Config) (client.Interface, error) { return w.classic, nil }}).New(ctx, nil, w.handle)
	w.Must(err)
	w.plugin = plugin.(*Plugin)
	hint := func(before, after any) {
		for _, pod := range w.plugin.cluster.unbound("") {
			if found, err := w.plugin.afterClaimChange(klog.Background(), pod, before, after); err != nil || found == fwk.Queue {
				w.handle.Activate(klog.Background(), map[string]*v1.Pod{pod.Namespace + "/" + pod.Name: pod})
			}
		}
	}
	_, err = claims.AddEventHandler(cache.ResourceEventHandlerFuncs{
		UpdateFunc: hint, DeleteFunc: func(obj any) { hint(obj, nil) }})
	w.Must(err)
	_, err = pods.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(obj any) {
		pod := obj.(*v1.Pod)
		w.handle.Activate(klog.Background(), map[string]*v1.Pod{pod.Namespace + "/" + pod.Name: pod})
	}})
	w.Must(err)
	factory.Start(ctx.Done())
	var once sync.Once
	w.handle.stop = func() {
		once.Do(func() {
			cancel()
			factory.Shutdown()
			synctest.Wait()
		})
	}
	w.stops = append(w.stops, w.handle.stop)
	synctest.Wait()
}

// startDriver starts a driver's controller until stop is called.
func (w *world) startDriver(name string, config sampledriver.Config) (stop func()) {
	w.Helper()
	ctx, cancel := context.WithCancel(w.Ctx)
	factory := informers.NewSharedInformerFactory(w, 0)
	driver, err := sampledriver.New(config, parameters(), factory.Core().V1().Nodes().Lister())
	w.Must(err)
	c, err := controller.New(ctx, name, driver, w, w.classic, factory)
	w.Must(err)
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		c.Run(ctx, 2)
	}()
	var once sync.Once
	stop = func() {
		once.Do(func() {
			cancel()
			<-ended
			factory.Shutdown()
		})
	}
	w.stops = append(w.stops, stop)
	return stop
}

// settle tries pods until none is woken.
func (w *world) settle() {
	w.Helper()
	for range 200 {
		synctest.Wait()
		name, ok := w.handle.next()
		if !ok {
			return
		}
		if w.beforeAttempt != nil {
			w.beforeAttempt()
		}
		w.attempt(name)
	}
	w.Fatalf("the scheduler does not come to rest: %v", w.last)
}

// settleFor settles for a while, with other activity.
func (w *world) settleFor(while time.Duration) {
	w.Helper()
	for end := time.Now().Add(while); time.Now().Before(end); {
		w.settle()
		time.Sleep(firstDelay)
	}
	w.settle()
}

// attempt is one attempt to schedule a pod, like in the framework.
func (w *world) attempt(name string) {
	w.Helper()
	pod := w.pod(name)
	if pod == nil || pod.Spec.NodeName != "" {
		return
	}
	w.attempts++
	cycle := newCycle()
	node, status := w.find(cycle, pod)
	if status.IsSuccess() {
		status = w.plugin.Reserve(w.Ctx, cycle, pod, node)
		if status.IsSuccess() {
			status = w.plugin.PreBind(w.Ctx, cycle, pod, node)
		}
		if !status.IsSuccess() {
			w.plugin.Unreserve(w.Ctx, cycle, pod, node)
		}
	}
	w.last[name] = status.Message()
	switch {
	case status.Code() == fwk.Error: // It is retried after a backoff.
		w.handle.Activate(klog.Background(), map[string]*v1.Pod{"ns/" + name: pod})
	case status.IsSuccess():
		pod = pod.DeepCopy()
		pod.Spec.NodeName = node
		_, err := w.CoreV1().Pods("ns").Update(w.Ctx, pod, metav1.UpdateOptions{})
		w.Must(err)
		w.plugin.PostBind(w.Ctx, cycle, pod, node)
	}
}

// find returns the best fitting node, or the rejection after PostFilter.
func (w *world) find(cycle fwk.CycleState, pod *v1.Pod) (string, *fwk.Status) {
	w.Helper()
	result, status := w.plugin.PreFilter(w.Ctx, cycle, pod, nil)
	if status.Code() == fwk.Error {
		return "", status
	}
	if !status.IsSuccess() && !status.IsSkip() {
		return "", w.postFilter(cycle, pod, status, nodeStatuses{absent: status.WithPlugin(Name)})
	}
	if w.rejects {
		return "", w.postFilter(cycle, pod, rejection(), nodeStatuses{absent: rejection()})
	}
	statuses := nodeStatuses{absent: fwk.NewStatus(fwk.UnschedulableAndUnresolvable, "no node"), nodes: map[string]*fwk.Status{}}
	var fitting []fwk.NodeInfo
	list, err := w.CoreV1().Nodes().List(w.Ctx, metav1.ListOptions{})
	w.Must(err)
	for _, node := range list.Items {
		if result != nil && !result.NodeNames.Has(node.Name) {
			continue
		}
		if w.full.Has(node.Name) {
			status = rejection()
			statuses.nodes[node.Name] = status
			continue
		}
		if status = w.plugin.Filter(w.Ctx, cycle, pod, testNode{node: &node}); status.IsSuccess() {
			fitting = append(fitting, testNode{node: &node})
		} else {
			statuses.nodes[node.Name] = status.WithPlugin(Name)
		}
	}
	if len(fitting) == 0 {
		return "", w.postFilter(cycle, pod, status, statuses)
	}
	if len(fitting) > 1 && !w.plugin.PreScore(w.Ctx, cycle, pod, fitting).IsSkip() {
		return w.best(cycle, pod, fitting), nil
	}
	return fitting[0].Node().Name, nil
}

// postFilter returns why the pod fits no node, or the error of PostFilter.
func (w *world) postFilter(cycle fwk.CycleState, pod *v1.Pod, why *fwk.Status, statuses nodeStatuses) *fwk.Status {
	if w.afterFilter != nil {
		w.afterFilter()
	}
	_, recovered := w.plugin.PostFilter(w.Ctx, cycle, pod, statuses)
	switch recovered.Code() {
	case fwk.Error:
		return recovered
	case fwk.Unschedulable: // The next plugin is called.
		w.evictions++
	}
	return why
}

// rejection is the framework's status for another plugin's rejection.
func rejection() *fwk.Status {
	return fwk.NewStatus(fwk.Unschedulable, "another plugin").WithPlugin("Other")
}

// end deletes a pod like the kubelet and Kubernetes' controllers.
func (w *world) end(name string) {
	w.Helper()
	pod := w.pod(name)
	w.Must(w.CoreV1().Pods("ns").Delete(w.Ctx, name, metav1.DeleteOptions{}))
	if err := w.classic.PodSchedulings("ns").Delete(w.Ctx, name, metav1.DeleteOptions{}); !apierrors.IsNotFound(err) {
		w.Must(err)
	}
	list, err := w.ResourceV1().ResourceClaims("ns").List(w.Ctx, metav1.ListOptions{})
	w.Must(err)
	for _, claim := range list.Items {
		users := len(claim.Status.ReservedFor)
		claim.Status.ReservedFor = slices.DeleteFunc(claim.Status.ReservedFor, func(c resourceapi.ResourceClaimConsumerReference) bool { return c.UID == pod.UID })
		if len(claim.Status.ReservedFor) < users {
			_, err := w.ResourceV1().ResourceClaims("ns").UpdateStatus(w.Ctx, &claim, metav1.UpdateOptions{})
			w.Must(err)
		}
	}
	synctest.Wait()
}

func (w *world) pod(name string) *v1.Pod {
	w.Helper()
	pod, err := w.CoreV1().Pods("ns").Get(w.Ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	w.Must(err)
	return pod
}

// wantNodes checks the nodes of pods by name; "" is for none.
func (w *world) wantNodes(nodes map[string]string) {
	w.Helper()
	for name, node := range nodes {
		if got := w.pod(name).Spec.NodeName; got != node {
			w.Errorf("pod %s is on node %q, want %q: %s", name, got, node, w.last[name])
		}
	}
}

// wantClaim checks a claim's number of users and its node.
func (w *world) wantClaim(name string, users int, pool string) {
	w.Helper()
	claim, err := w.ResourceV1().ResourceClaims("ns").Get(w.Ctx, name, metav1.GetOptions{})
	w.Must(err)
	got := ""
	if claim.Status.Allocation != nil {
		got = claim.Status.Allocation.Devices.Results[0].Pool
	}
	if got != pool || len(claim.Status.ReservedFor) != users {
		w.Errorf("claim %s is allocated in pool %q for %d users, want %q and %d", name, got, len(claim.Status.ReservedFor), pool, users)
	}
}

func (w *world) scheduling(name string) *v1alpha1.PodScheduling {
	w.Helper()
	found, err := w.classic.PodSchedulings("ns").Get(w.Ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	w.Must(err)
	return found
}

// suits makes a ResourceClass suit one node only.
func (w *world) suits(class, node string) {
	w.Helper()
	found, err := w.classic.ResourceClasses().Get(w.Ctx, class, metav1.GetOptions{})
	w.Must(err)
	found.SuitableNodes = &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{{
		MatchFields: []v1.NodeSelectorRequirement{{Key: metav1.ObjectNameField, Operator: v1.NodeSelectorOpIn, Values: []string{node}}},
	}}}
	_, err = w.classic.ResourceClasses().Update(w.Ctx, found, metav1.UpdateOptions{})
	w.Must(err)
}

// wantSelected checks the node selected for a pod, "" for none.
func (w *world) wantSelected(pod, node string) {
	w.Helper()
	found := w.scheduling(pod)
	if found == nil || found.Spec.SelectedNode != node {
		w.Errorf("PodScheduling %s is %+v, want node %q: %s", pod, found, node, w.last[pod])
	}
}

func config(kind, fields string) resourceapi.DeviceConfiguration {
	opaque := &resourceapi.OpaqueDeviceConfiguration{Driver: v1alpha1.GroupName}
	opaque.Parameters.Raw = []byte(`{"apiVersion":"` + v1alpha1.GroupName + `/v1alpha1","kind":"` + kind + `"` + fields + `}`)
	return resourceapi.DeviceConfiguration{Opaque: opaque}
}

func deviceClass(name string) *resourceapi.DeviceClass {
	class := &resourceapi.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: name}}
	class.Spec.Config = []resourceapi.DeviceClassConfiguration{{DeviceConfiguration: config("ClassConfig", `,"resourceClassName":"`+name+`"`)}}
	return class
}

// newClaim has the fields of a ClaimConfig.
func newClaim(name, class, fields string) *resourceapi.ResourceClaim {
	claim := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name}}
	claim.Spec.Devices.Requests = []resourceapi.DeviceRequest{{Name: "r", Exactly: &resourceapi.ExactDeviceRequest{DeviceClassName: class}}}
	claim.Spec.Devices.Config = []resourceapi.DeviceClaimConfiguration{{DeviceConfiguration: config("ClaimConfig", fields)}}
	return claim
}

const (
	immediate = `,"allocationMode":"Immediate"`
	shared    = `,"parametersRef":{"kind":"ConfigMap","name":"shared"}`
)

func parameters() *parametersref.Reader {
	kinds := &fakediscovery.FakeDiscovery{Fake: &clienttesting.Fake{Resources: []*metav1.APIResourceList{
		{GroupVersion: "v1", APIResources: []metav1.APIResource{{Name: "configmaps", Kind: "ConfigMap", Namespaced: true}}},
	}}}
	forTwo := &v1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "shared"}, Data: map[string]string{"userLimit": "2"}}
	return parametersref.New(dynamicfake.NewSimpleDynamicClient(scheme.Scheme, forTwo), kinds)
}

func newPod(name string, claims ...string) *v1.Pod {
	pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name}}
	for _, claim := range claims {
		pod.Spec.ResourceClaims = append(pod.Spec.ResourceClaims, v1.PodResourceClaim{Name: claim, ResourceClaimName: &claim})
	}
	return pod
}
