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

package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	apiresource "k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/events"
	kubescheduler "k8s.io/kubernetes/pkg/scheduler"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/profile"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/implementation/cmd/dra-scheduler/plugin"
	"github.com/dra-conformance/dratest/implementation/scheduler"
)

// The stories cover retries, visible only in the whole scheduler. Unless woken, a pod stays in the
// queue for five minutes.
const soon = 30 * time.Second

// newAPI is an API server that sets versions, even on deletion, and binds pods.
func newAPI(objects ...runtime.Object) *fake.Clientset {
	var versions atomic.Int64
	version := func(object runtime.Object) {
		if accessor, err := meta.Accessor(object); err == nil {
			accessor.SetResourceVersion(strconv.FormatInt(versions.Add(1), 10))
		}
	}
	for _, object := range objects {
		version(object)
	}
	api := fake.NewClientset(objects...)
	var deleted sync.Map // objects for watches, by UID
	api.PrependReactor("*", "*", func(action clienttesting.Action) (bool, runtime.Object, error) {
		switch action := action.(type) {
		case clienttesting.CreateActionImpl:
			if binding, ok := action.GetObject().(*v1.Binding); ok {
				pods := v1.SchemeGroupVersion.WithResource("pods")
				object, err := api.Tracker().Get(pods, binding.Namespace, binding.Name)
				if err != nil {
					return true, nil, err
				}
				pod := object.(*v1.Pod).DeepCopy()
				pod.Spec.NodeName = binding.Target.Name
				version(pod)
				return true, binding, api.Tracker().Update(pods, pod, pod.Namespace)
			}
			version(action.GetObject())
		case clienttesting.UpdateActionImpl:
			version(action.GetObject())
		case clienttesting.DeleteActionImpl:
			if object, err := api.Tracker().Get(action.GetResource(), action.GetNamespace(), action.GetName()); err == nil {
				version(object)
				deleted.Store(uid(object), object)
			}
		}
		return false, nil, nil
	})
	api.PrependWatchReactor("*", func(action clienttesting.Action) (bool, watch.Interface, error) {
		events, err := api.Tracker().Watch(action.GetResource(), action.GetNamespace())
		if err != nil {
			return true, nil, err
		}
		return true, watch.Filter(events, func(event watch.Event) (watch.Event, bool) {
			if last, ok := deleted.Load(uid(event.Object)); ok && event.Type == watch.Deleted {
				event.Object = last.(runtime.Object)
			}
			return event, true
		}), nil
	})
	return api
}

func uid(object runtime.Object) types.UID {
	accessor, err := meta.Accessor(object)
	if err != nil {
		return ""
	}
	return accessor.GetUID()
}

// start runs dra-scheduler until the test ends.
func start(t *testing.T, api *fake.Clientset) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	factory := informers.NewSharedInformerFactory(api, 0)
	broadcaster := events.NewBroadcaster(&events.EventSinkImpl{Interface: api.EventsV1()})
	sched, err := kubescheduler.New(ctx, api, factory, nil, profile.NewRecorderFactory(broadcaster),
		kubescheduler.WithProfiles(loadConfig(t).Profiles...),
		kubescheduler.WithFrameworkOutOfTreeRegistry(frameworkruntime.Registry{
			scheduler.Name: plugin.Factory().New,
		}),
	)
	if err != nil {
		t.Fatal(err)
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	if err := sched.WaitForHandlersSync(ctx); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		sched.Run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-done
		factory.Shutdown()
	})
}

// awaitBound waits until all pods have a node.
func awaitBound(t *testing.T, api *fake.Clientset, pods ...string) {
	t.Helper()
	var missing string
	err := wait.PollUntilContextTimeout(t.Context(), 10*time.Millisecond, soon, true, func(ctx context.Context) (bool, error) {
		for _, name := range pods {
			pod, err := api.CoreV1().Pods("ns").Get(ctx, name, metav1.GetOptions{})
			if err != nil {
				return false, err
			}
			if pod.Spec.NodeName == "" {
				missing = fmt.Sprintf("%s: %v", name, pod.Status.Conditions)
				return false, nil
			}
		}
		return true, nil
	})
	if err != nil {
		t.Fatalf("not bound: %s: %v", missing, err)
	}
}

// awaitRejected waits until the scheduler has rejected a pod.
func awaitRejected(t *testing.T, api *fake.Clientset, name string) {
	t.Helper()
	err := wait.PollUntilContextTimeout(t.Context(), 10*time.Millisecond, soon, true, func(ctx context.Context) (bool, error) {
		pod, err := api.CoreV1().Pods("ns").Get(ctx, name, metav1.GetOptions{})
		return err == nil && len(pod.Status.Conditions) > 0, err
	})
	if err != nil {
		t.Fatalf("pod %s was not rejected: %v", name, err)
	}
}

func clusterOfOne(devices int, more ...runtime.Object) []runtime.Object {
	node := &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node", UID: "node"}}
	node.Status.Allocatable = v1.ResourceList{v1.ResourcePods: apiresource.MustParse("110")}
	slice := &resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: "slice", UID: "slice"}, Spec: resourceapi.ResourceSliceSpec{
		Driver: "driver.example.com", NodeName: ptr.To("node"), Pool: resourceapi.ResourcePool{Name: "node", Generation: 1, ResourceSliceCount: 1},
	}}
	for i := range devices {
		slice.Spec.Devices = append(slice.Spec.Devices, resourceapi.Device{Name: fmt.Sprintf("device-%d", i)})
	}
	return append([]runtime.Object{node, slice, &resourceapi.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: "class", UID: "class"}}}, more...)
}

func claim(name string) *resourceapi.ResourceClaim {
	return &resourceapi.ResourceClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, UID: types.UID(name)},
		Spec: resourceapi.ResourceClaimSpec{Devices: resourceapi.DeviceClaim{Requests: []resourceapi.DeviceRequest{{
			Name:    "request",
			Exactly: &resourceapi.ExactDeviceRequest{DeviceClassName: "class", AllocationMode: resourceapi.DeviceAllocationModeExactCount, Count: 1},
		}}}},
	}
}

func pod(name, claimName string) *v1.Pod {
	return &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, UID: types.UID("pod-" + name)},
		Spec: v1.PodSpec{
			SchedulerName:  "default-scheduler",
			Containers:     []v1.Container{{Name: "container", Image: "image"}},
			ResourceClaims: []v1.PodResourceClaim{{Name: "claim", ResourceClaimName: &claimName}},
		},
	}
}

func TestPodsShareAClaimAlthoughWritingItFails(t *testing.T) {
	api := newAPI(clusterOfOne(1, claim("shared"), pod("first", "shared"), pod("second", "shared"))...)
	var failures atomic.Int32
	api.PrependReactor("update", "resourceclaims", func(clienttesting.Action) (bool, runtime.Object, error) {
		if failures.Add(1) > 3 {
			return false, nil, nil
		}
		return true, nil, apierrors.NewForbidden(resourceapi.Resource("resourceclaims"), "shared", errors.New("not yet"))
	})
	start(t, api)
	awaitBound(t, api, "first", "second")
}

func TestPodGetsTheDeviceOfADeletedClaim(t *testing.T) {
	api := newAPI(clusterOfOne(1, claim("old"), pod("first", "old"), claim("new"))...)
	start(t, api)
	awaitBound(t, api, "first")
	if _, err := api.CoreV1().Pods("ns").Create(t.Context(), pod("second", "new"), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	awaitRejected(t, api, "second")
	if err := api.ResourceV1().ResourceClaims("ns").Delete(t.Context(), "old", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	awaitBound(t, api, "second")
}

// The device is in flight for a pod that then fails to bind. No event tells the other pod, because the
// API never had the allocation.
func TestPodGetsTheDeviceOfAPodThatCouldNotBeBound(t *testing.T) {
	api := newAPI(clusterOfOne(1, claim("one"), pod("first", "one"), claim("two"), pod("second", "two"))...)
	var loser atomic.Pointer[string] // the claim tried first
	var answers atomic.Bool
	api.PrependReactor("update", "resourceclaims", func(action clienttesting.Action) (bool, runtime.Object, error) {
		if action.GetSubresource() != "status" {
			return false, nil, nil // the finalizer; nothing is in flight without it
		}
		name := action.(clienttesting.UpdateAction).GetObject().(*resourceapi.ResourceClaim).Name
		loser.CompareAndSwap(nil, &name)
		return *loser.Load() == name, nil, errors.New("connection reset")
	})
	// While the outcome is unknown, the device stays in use.
	api.PrependReactor("get", "resourceclaims", func(clienttesting.Action) (bool, runtime.Object, error) {
		return !answers.Load(), nil, errors.New("connection reset")
	})
	start(t, api)
	err := wait.PollUntilContextTimeout(t.Context(), time.Millisecond, soon, true, func(context.Context) (bool, error) {
		return loser.Load() != nil, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	winner := map[string]string{"one": "second", "two": "first"}[*loser.Load()]
	awaitRejected(t, api, winner)
	answers.Store(true)
	awaitBound(t, api, winner)
}

// A pod may exist long before its claim, and no event of the scheduling queue announces that.
func TestPodIsBoundWhenItsClaimIsCreated(t *testing.T) {
	api := newAPI(clusterOfOne(3, claim("one"), pod("first", "one"), pod("early", "late"))...)
	start(t, api)
	awaitBound(t, api, "first")
	if _, err := api.ResourceV1().ResourceClaims("ns").Create(t.Context(), claim("late"), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	awaitBound(t, api, "early")
}

// The claim is deleted between two attempts and re-created: the pod is rejected by PreFilter or kept
// from the queue, and then the claim exists again.
func TestPodIsBoundWhenItsClaimIsCreatedAgain(t *testing.T) {
	api := newAPI(clusterOfOne(1, claim("one"), pod("first", "one"), claim("two"))...)
	start(t, api)
	awaitBound(t, api, "first")
	if _, err := api.CoreV1().Pods("ns").Create(t.Context(), pod("second", "two"), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	awaitRejected(t, api, "second")
	for _, name := range []string{"two", "one"} {
		if err := api.ResourceV1().ResourceClaims("ns").Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	again := claim("two")
	again.UID = "again"
	if _, err := api.ResourceV1().ResourceClaims("ns").Create(t.Context(), again, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	awaitBound(t, api, "second")
}
