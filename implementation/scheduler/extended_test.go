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
	"errors"
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"
)

const gpu = v1.ResourceName("example.com/gpu")

// extended has two nodes with two devices each, and a class serving gpu.
func extended(more ...runtime.Object) []runtime.Object {
	return append([]runtime.Object{node("a"), slice("a", 2), extendedClass("class", string(gpu))}, more...)
}

// put creates the pod in the API, because its status is patched.
func (w *world) put(pod *v1.Pod) *v1.Pod {
	w.t.Helper()
	if _, err := w.client.CoreV1().Pods(pod.Namespace).Create(w.ctx, pod, metav1.CreateOptions{}); err != nil {
		w.t.Fatal(err)
	}
	return pod
}

// claims returns the names of all claims in the API.
func (w *world) claims() []string {
	w.t.Helper()
	list, err := w.client.ResourceV1().ResourceClaims("ns").List(w.ctx, metav1.ListOptions{})
	if err != nil {
		w.t.Fatal(err)
	}
	var names []string
	for _, claim := range list.Items {
		names = append(names, claim.Name)
	}
	return names
}

func TestExtendedResourceBecomesClaim(t *testing.T) {
	for _, name := range []v1.ResourceName{gpu, "deviceclass.resource.kubernetes.io/class"} {
		t.Run(string(name), func(t *testing.T) {
			w := newWorld(t, extended()...)
			w.schedule(w.put(wanting("pod", name, "2")))
			claim := w.claim("pod-extended-resources-x")
			if got := devicesOf(claim); !slices.Equal(got, []string{"a/device-0", "a/device-1"}) {
				t.Errorf("devices %v", got)
			}
			if claim.Annotations[resourceapi.ExtendedResourceClaimAnnotation] != "true" || !slices.Contains(claim.Finalizers, resourceapi.Finalizer) {
				t.Errorf("claim %v", claim.ObjectMeta)
			}
			owner := metav1.GetControllerOf(claim)
			if owner == nil || owner.UID != "uid-pod" || len(claim.Status.ReservedFor) != 1 {
				t.Errorf("owner %v, reserved for %v", owner, claim.Status.ReservedFor)
			}
			pod, _ := w.client.CoreV1().Pods("ns").Get(w.ctx, "pod", metav1.GetOptions{})
			want := v1.ContainerExtendedResourceRequest{ContainerName: "container", ResourceName: string(name), RequestName: "container-0-request-0"}
			status := pod.Status.ExtendedResourceClaimStatus
			if status == nil || status.ResourceClaimName != claim.Name || !slices.Equal(status.RequestMappings, []v1.ContainerExtendedResourceRequest{want}) {
				t.Errorf("status %+v", status)
			}
			if w.metrics.counts["create/success"] != 1 {
				t.Errorf("metrics %v", w.metrics.counts)
			}
			w.free(claim.Name)
			for _, action := range w.client.Actions() {
				if action.Matches("update", "resourceclaims") && action.GetSubresource() == "" {
					t.Error("the finalizer needs a write of its own")
				}
			}
		})
	}
}

func TestDevicePluginIsPreferred(t *testing.T) {
	w := newWorld(t, plugged("a", gpu, "2"), slice("a", 2), extendedClass("class", string(gpu)), asking("one", 1))
	w.schedule(w.put(wanting("pod", gpu, "1")))
	if got := w.claims(); !slices.Equal(got, []string{"one"}) {
		t.Errorf("claims %v", got)
	}
	// With a regular claim: the claim is allocated, no empty one is created.
	pod := wanting("both", gpu, "1")
	pod.Spec.ResourceClaims = using("", "one").Spec.ResourceClaims
	w.schedule(w.put(pod))
	if got := w.claims(); !slices.Equal(got, []string{"one"}) {
		t.Errorf("claims %v", got)
	}
	w.free("one")
}

func TestNodesMayDiffer(t *testing.T) {
	w := newWorld(t, plugged("a", gpu, "1"), node("b"), node("c"), slice("b", 1), extendedClass("class", string(gpu)))
	r := w.find(wanting("pod", gpu, "1"))
	if _, ok := r.rejected["c"]; !ok || len(r.rejected) != 1 {
		t.Errorf("rejected %v, want c", r.rejected)
	}
	a, _ := attemptOf(r.cycle)
	if len(a.extended.variants) != 1 {
		t.Errorf("%d variants for two nodes that are alike", len(a.extended.variants))
	}
	pod := wanting("pod", gpu, "1")
	pod.Spec.Containers[0].Resources.Requests["example.com/unknown"] = pod.Spec.Containers[0].Resources.Requests[gpu]
	w.find(pod).wantRejected("cannot fit resource")
}

// The class appeared 250 microseconds after PreFilter. NodeResourcesFit runs later and left the
// resource to this plugin, and the pod ran without devices.
func TestClassComesDuringTheAttempt(t *testing.T) {
	come := func(w *world) {
		t.Helper()
		if _, err := w.client.ResourceV1().DeviceClasses().Create(w.ctx, extendedClass("class", string(gpu)), metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		w.until("class is known", func() bool { return w.manager.DeviceClassResolver().GetDeviceClass(gpu) != nil })
	}
	t.Run("for devices", func(t *testing.T) {
		for _, claims := range [][]string{nil, {"one"}} {
			w := newWorld(t, node("a"), slice("a", 2), class("other"), asking("one", 1, func(c *resourceapi.ResourceClaim) { c.Spec.Devices.Requests[0].Exactly.DeviceClassName = "other" }))
			pod := wanting("pod", gpu, "1")
			pod.Spec.ResourceClaims = using("", claims...).Spec.ResourceClaims
			r := w.find(w.put(pod))
			come(w)
			if got, want := r.bind(), "device class class began to serve example.com/gpu while the pod was being scheduled"; got != want {
				t.Errorf("bind: %q, want %q", got, want)
			}
			if woken := w.handle.woken(); !slices.Equal(woken, []string{"ns/pod"}) {
				t.Errorf("woken: %v", woken)
			}
			w.schedule(pod)
			if got := w.claims(); !slices.Contains(got, "pod-extended-resources-x") {
				t.Errorf("claims %v", got)
			}
		}
	})
	t.Run("beside a device plugin", func(t *testing.T) {
		w := newWorld(t, plugged("a", gpu, "2"), slice("a", 2))
		r := w.find(w.put(wanting("pod", gpu, "1")))
		come(w)
		if message := r.bind(); message != "" {
			t.Errorf("bind: %q", message)
		}
	})
}

func TestExtendedResourcesOff(t *testing.T) {
	features := AllFeatures()
	features.ExtendedResource = false
	w := newWorldWith(t, DefaultArgs(), features, extended()...)
	w.schedule(wanting("pod", gpu, "2"))
	if got := w.claims(); len(got) != 0 {
		t.Errorf("claims %v", got)
	}
}

func TestSpecialClaimFailures(t *testing.T) {
	broken := apierrors.NewInternalError(errors.New("etcd is away"))
	for _, tc := range []struct {
		name, verb, resource string
		want                 string
	}{
		{"create", "create", "resourceclaims", "create claim for extended resources"},
		{"status", "update", "resourceclaims/status", "add allocation and reservation to claim ns/pod-extended-resources-x"},
		{"pod", "patch", "pods/status", "update pod ns/pod ExtendedResourceClaimStatus"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t, extended()...)
			times := 1
			if tc.name == "pod" {
				times = 10 // retried
			}
			w.fail(tc.verb, tc.resource, times, broken)
			pod := w.put(wanting("pod", gpu, "1"))
			if got := w.find(pod).bind(); !strings.Contains(got, tc.want) {
				t.Errorf("bind: %q, want %q", got, tc.want)
			}
			if got := w.claims(); len(got) != 0 {
				t.Errorf("claims left: %v", got)
			}
			w.free()
		})
	}
}

// The scheduler was killed after creating the claim.
func TestSpecialClaimLeftBehindIsDeleted(t *testing.T) {
	for _, left := range []struct {
		name   string
		change func(*resourceapi.ResourceClaim)
	}{
		{"created", func(*resourceapi.ResourceClaim) {}},
		{"allocated", allocated("a")},
	} {
		t.Run(left.name, func(t *testing.T) {
			pod := wanting("pod", gpu, "2")
			claim := newSpecialClaim(pod)
			claim.Name, claim.UID = "left", "uid-left"
			claim.Spec.Devices.Requests, _ = extendedRequests(pod, []extendedResource{{gpu, class("class")}})
			left.change(claim)
			w := newWorld(t, extended(claim)...)
			r := w.find(w.put(pod))
			r.wantRejected("cannot schedule extended resource claim")
			if got := r.postFilter(); got != "deletion of ResourceClaim completed" {
				t.Errorf("PostFilter: %q", got)
			}
			if woken := w.handle.woken(); len(woken) == 0 {
				t.Error("the pod is not tried again")
			}
			w.until("claim is gone", func() bool { name, _ := w.plugin.cluster.specialClaim(pod.UID); return name == "" })
			w.schedule(pod)
			w.free("pod-extended-resources-x")
		})
	}
}

func TestDeletionOfSpecialClaimToleratesConflicts(t *testing.T) {
	w := newWorld(t, extended()...)
	w.fail("patch", "pods/status", 5, apierrors.NewForbidden(v1.Resource("pods"), "pod", errors.New("no")))
	conflicts := 2
	w.client.PrependReactor("update", "resourceclaims", func(action clienttesting.Action) (bool, runtime.Object, error) {
		claim := action.(clienttesting.UpdateAction).GetObject().(*resourceapi.ResourceClaim)
		if len(claim.Finalizers) > 0 || conflicts == 0 {
			return false, nil, nil
		}
		conflicts--
		return true, nil, apierrors.NewConflict(claimResource(), claim.Name, errors.New("changed"))
	})
	if got := w.find(w.put(wanting("pod", gpu, "1"))).bind(); got == "" {
		t.Fatal("bind works")
	}
	if got := w.claims(); len(got) != 0 || conflicts != 0 {
		t.Errorf("claims left: %v, %d conflicts left", got, conflicts)
	}
}

func TestNoSignatureForPodsWithDevices(t *testing.T) {
	w := newWorld(t, extended()...)
	for _, pod := range []*v1.Pod{using("pod", "claim"), wanting("pod", gpu, "1")} {
		if _, status := w.plugin.SignPod(w.ctx, pod); status.IsSuccess() {
			t.Error("pod has a signature")
		}
	}
	if _, status := w.plugin.SignPod(w.ctx, wanting("pod", v1.ResourceCPU, "1")); !status.IsSuccess() {
		t.Error("pod has no signature")
	}
}
