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

package audit_test

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/audit"
)

func everything(w audit.World) []audit.Violation {
	return append(append(audit.Devices(w.Claims, w.Slices), audit.Pods(w)...), audit.Settled(w)...)
}

func TestGoodWorld(t *testing.T) {
	ended := pod("ended", "gone")
	ended.Status.Phase = corev1.PodSucceeded
	w := goodWorld()
	w.Claims = append(w.Claims,
		claim("admin", "q", admin(device("whole-0")), admin(device("half-0"))),
		claim("halves", "q", device("half-0"), device("half-1")),
		claim("shares", "q", share("3Gi"), named(share("5Gi"), "memory", "d/memory")),
		generated(free("waiting"), "pending", false), free("nobody's"))
	pending := pod("pending", "waiting")
	pending.Spec.NodeName, pending.Status.Phase = "", corev1.PodPending
	w.Pods = append(w.Pods, ended, pending, pod("q", "admin", "halves", "shares"))
	if found := everything(w); len(found) > 0 {
		t.Errorf("violations in a good world:\n%s", lines(found))
	}
}

func TestBadWorlds(t *testing.T) {
	for _, tc := range []struct {
		rule        audit.Rule
		name        string
		spoil       func(*audit.World)
		wantMessage string
	}{
		{audit.DoubleAllocated, "two claims", func(w *audit.World) {
			w.Claims = append(w.Claims, claim("c2", "p", device("whole-0")))
		}, "device d/n/whole-0 is allocated whole to claim ns/c (request r), claim ns/c2 (request r)"},
		{audit.DoubleAllocated, "one claim twice", func(w *audit.World) {
			w.Claims[0] = claim("c", "p", device("whole-0"), device("whole-0"))
		}, "whole-0"},
		{audit.WholeAndShared, "", func(w *audit.World) {
			w.Claims = append(w.Claims, claim("c2", "p", device("shared"), share("1Gi")))
		}, "device d/n/shared is allocated whole to claim ns/c2 (request r) and shared by claim ns/c2 (request r, memory 1Gi)"},
		{audit.NotShareable, "", func(w *audit.World) {
			w.Claims[0].Status.Allocation.Devices.Results[0].ShareID = ptr.To(w.Claims[0].UID)
		}, "does not allow several allocations"},
		{audit.CapacityExceeded, "", func(w *audit.World) {
			w.Claims = append(w.Claims, claim("c2", "p", share("5Gi")), claim("c3", "p", share("4Gi")))
		}, "has 8Gi of memory, and -1Gi are left"},
		{audit.CapacityExceeded, "by the name with the domain", func(w *audit.World) {
			w.Claims = append(w.Claims, claim("c2", "p", share("5Gi")), claim("c3", "p", named(share("4Gi"), "d/memory")))
		}, "has 8Gi of memory, and -1Gi are left"},
		{audit.ConsumptionUnstated, "", func(w *audit.World) {
			silent := share("0")
			silent.ConsumedCapacity = nil
			w.Claims = append(w.Claims, claim("c2", "p", share("5Gi")), claim("c3", "p", silent))
		}, "device d/n/shared has memory without a consumed capacity for claim ns/c3 (request r)"},
		{audit.ShareIDReused, "", func(w *audit.World) {
			w.Claims = append(w.Claims, claim("c2", "p", share("1Gi")), claim("c3", "p", share("1Gi")))
		}, "has one share ID, share-1Gi, for claim ns/c2 (request r, memory 1Gi), claim ns/c3 (request r, memory 1Gi)"},
		{audit.CounterNegative, "", func(w *audit.World) {
			w.Claims = append(w.Claims, claim("c2", "p", device("all")), claim("c3", "p", device("half-1")))
		}, "counter d/n/gpu/units has -2 of 4 left"},
		{audit.ReservedUnallocated, "", func(w *audit.World) {
			w.Claims[0].Status.Allocation = nil
		}, "claim ns/c is reserved for pods/p, but not allocated"},
		{audit.UnknownDevice, "never there", func(w *audit.World) {
			w.Claims[0] = claim("c", "p", device("imagined"))
		}, "d/n/imagined"},
		{audit.UnknownDevice, "old generation", func(w *audit.World) {
			w.Claims[0] = claim("c", "p", device("withdrawn"))
		}, "d/n/withdrawn"},
		{audit.BoundWithoutClaim, "no claim", func(w *audit.World) { w.Claims = nil }, "its claim c does not exist"},
		{audit.BoundWithoutClaim, "not allocated", func(w *audit.World) {
			w.Claims[0] = free("c")
		}, "its claim c is not allocated"},
		{audit.BoundWithoutClaim, "not reserved", func(w *audit.World) {
			w.Claims[0].Status.ReservedFor[0].UID = "other"
		}, "its claim c is not reserved for it"},
		{audit.BoundWithoutClaim, "not generated", func(w *audit.World) {
			w.Pods[0].Spec.ResourceClaims[0].ResourceClaimName = nil
		}, `claim "c" was not generated`},
		{audit.BoundWithoutClaim, "extended", func(w *audit.World) {
			w.Pods[0].Status.ExtendedResourceClaimStatus = &corev1.PodExtendedResourceClaimStatus{ResourceClaimName: "special"}
		}, "its claim special does not exist"},
		{audit.BoundWithoutClaim, "extended, nothing said", func(w *audit.World) {
			wants(&w.Pods[0], "example.com/gpu")
		}, "has no claim for example.com/gpu of container main, mapped to class gpu"},
		{audit.BoundWithoutClaim, "extended, implicit, of an init container", func(w *audit.World) {
			wants(&w.Pods[0], "deviceclass.resource.kubernetes.io/gpu")
			w.Pods[0].Spec.InitContainers, w.Pods[0].Spec.Containers = w.Pods[0].Spec.Containers, nil
		}, "has no claim for deviceclass.resource.kubernetes.io/gpu of container main"},
		{audit.BoundWithoutClaim, "extended, claim for another container", func(w *audit.World) {
			wants(&w.Pods[0], "example.com/gpu")
			w.Pods[0].Status.ExtendedResourceClaimStatus = &corev1.PodExtendedResourceClaimStatus{
				ResourceClaimName: "c", RequestMappings: []corev1.ContainerExtendedResourceRequest{{ContainerName: "other", ResourceName: "example.com/gpu", RequestName: "r"}},
			}
		}, "has no claim for example.com/gpu of container main"},
		{audit.WrongNode, "selector", func(w *audit.World) {
			w.Claims[0].Status.Allocation.NodeSelector.NodeSelectorTerms[0].MatchFields[0].Values[0] = "m"
		}, "the node selector of its claim c does not match"},
		{audit.WrongNode, "device", func(w *audit.World) {
			w.Slices[0].Spec.NodeName = ptr.To("m")
		}, "device d/n/whole-0 of its claim c cannot be used"},
		{audit.WrongNode, "device of its own place", func(w *audit.World) {
			w.Slices[0].Spec.NodeName, w.Slices[0].Spec.PerDeviceNodeSelection = nil, ptr.To(true)
			w.Slices[0].Spec.Devices[0].NodeName = ptr.To("m")
		}, "whole-0"},
		{audit.StaleReservation, "pod gone", func(w *audit.World) { w.Pods = nil }, "reserved for pod p (UID uid-p), which is gone"},
		{audit.StaleReservation, "pod ended", func(w *audit.World) {
			w.Pods[0].Status.Phase = corev1.PodFailed
		}, "which has ended"},
		{audit.LeakedClaim, "pod gone", func(w *audit.World) {
			w.Claims = append(w.Claims, generated(free("c2"), "q", false))
		}, "claim ns/c2 was generated for pod q (UID uid-q), which is gone"},
		{audit.LeakedClaim, "one too many", func(w *audit.World) {
			w.Claims = append(w.Claims, generated(free("c2"), "p", false))
		}, "uses other claims"},
		{audit.LeakedExtendedClaim, "", func(w *audit.World) {
			w.Claims = append(w.Claims, generated(free("c2"), "q", true))
		}, "which is gone"},
		{audit.FinalizerLeft, "", func(w *audit.World) {
			w.Claims = append(w.Claims, free("c2"))
			w.Claims[1].Finalizers = []string{resourceapi.Finalizer}
		}, "claim ns/c2 is not allocated and has the finalizer"},
		{audit.NotDeleted, "", func(w *audit.World) {
			w.Claims[0].DeletionTimestamp = &metav1.Time{Time: time.Unix(0, 0)}
		}, "claim ns/c was deleted at 00:00:00"},
		{audit.UnusedAllocation, "", func(w *audit.World) {
			w.Claims = append(w.Claims, claim("c2", "", device("whole-1")))
		}, "claim ns/c2 is allocated and reserved for nobody"},
	} {
		t.Run(string(tc.rule)+" "+tc.name, func(t *testing.T) {
			w := goodWorld()
			tc.spoil(&w)
			for _, v := range everything(w) {
				if v.Rule == tc.rule && strings.Contains(v.Text, tc.wantMessage) && len(v.Evidence) > 0 {
					return
				}
			}
			t.Errorf("found only:\n%s", lines(everything(w)))
		})
	}
}

// The device plugin of a node takes precedence over DRA; other resources are ignored.
func TestResourcesThatNeedNoClaim(t *testing.T) {
	w := goodWorld()
	plugged := pod("plugged")
	wants(&plugged, "example.com/gpu", corev1.ResourceCPU, "example.com/unknown", "deviceclass.resource.kubernetes.io/unknown")
	w.Nodes[0].Status.Allocatable = corev1.ResourceList{"example.com/gpu": resource.MustParse("2")}
	none := pod("none")
	wants(&none, "deviceclass.resource.kubernetes.io/gpu")
	none.Spec.Containers[0].Resources.Requests["deviceclass.resource.kubernetes.io/gpu"] = resource.MustParse("0")
	elsewhere := pod("elsewhere") // its node is gone with its status
	wants(&elsewhere, "example.com/gpu")
	elsewhere.Spec.NodeName = "gone"
	w.Pods = append(w.Pods, plugged, none, elsewhere)
	if found := everything(w); len(found) > 0 {
		t.Errorf("violations:\n%s", lines(found))
	}
}

// A starting kubelet deletes its node's slices, and a starting driver writes them one by one: missing counters are
// not overdrawn.
func TestPartialPoolsHaveNoCounters(t *testing.T) {
	w := goodWorld()
	w.Claims = append(w.Claims, claim("c2", "p", device("all")))
	for name, tc := range map[string]struct {
		published []resourceapi.ResourceSlice
		complete  int
	}{
		"all":                {w.Slices, 1},
		"devices only":       {w.Slices[:1], 0},
		"next devices":       {append([]resourceapi.ResourceSlice{slice(3)}, w.Slices...), 0},
		"counters of before": {[]resourceapi.ResourceSlice{slice(3), counters(2)}, 0},
		"nothing":            {nil, 0},
	} {
		for _, v := range audit.Devices(w.Claims, tc.published) {
			if v.Rule == audit.CounterNegative {
				t.Errorf("%s: %s", name, v)
			}
		}
		if got := audit.CompletePools(tc.published); got != tc.complete {
			t.Errorf("%s: %d complete pools, want %d", name, got, tc.complete)
		}
	}
}

func TestUnended(t *testing.T) {
	deleted, waiting, bound, ended := pod("deleted"), pod("waiting"), pod("bound"), pod("ended")
	deleted.DeletionTimestamp = &metav1.Time{Time: time.Unix(0, 0)}
	waiting.Spec.NodeName = ""
	waiting.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Message: "cannot allocate all claims"}}
	ended.Status.Phase = corev1.PodSucceeded
	got := lines(audit.Unended([]corev1.Pod{ended, deleted, waiting, bound}))
	want := `pod-stuck: pod ns/bound is bound to n and Running: nobody has said anything about it
pod-stuck: pod ns/deleted was deleted at 00:00:00 and is still there, phase Running
pod-stuck: pod ns/waiting is not scheduled: cannot allocate all claims`
	if got != want {
		t.Errorf("got\n%s", got)
	}
}

// A soak passed with failed pods, because nothing checked how they ended.
func TestFailed(t *testing.T) {
	crashed, evicted, cut, ended := pod("crashed"), pod("evicted"), pod("cut"), pod("ended")
	crashed.Status.Phase, evicted.Status.Phase = corev1.PodFailed, corev1.PodFailed
	crashed.Status.ContainerStatuses = []corev1.ContainerStatus{
		{Name: "fine", State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{}}},
		{Name: "main", State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 128, Reason: "StartError", Message: "no such CDI device"}}},
	}
	evicted.Status.Reason, evicted.Status.Message = "UnexpectedAdmissionError", "no devices"
	// A pod deleted before its containers run, or with a container ignoring the signal, fails.
	cut.Status.Phase, cut.DeletionTimestamp = corev1.PodFailed, &metav1.Time{Time: time.Unix(0, 0)}
	ended.Status.Phase = corev1.PodSucceeded
	got := lines(audit.Failed([]corev1.Pod{ended, cut, evicted, crashed}))
	want := `pod-failed: pod ns/crashed has failed on node "n": container main ended with code 128 (StartError: no such CDI device)
pod-failed: pod ns/evicted has failed on node "n": UnexpectedAdmissionError: no devices`
	if got != want {
		t.Errorf("got\n%s", got)
	}
}

// Killing kubelets under load: containerd cancels their requests.
func TestStartThatWasCutIsAWarning(t *testing.T) {
	terminated := func(reason, message string) corev1.ContainerStatus {
		return corev1.ContainerStatus{Name: "main", State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 128, Reason: reason, Message: message}}}
	}
	cut := terminated("StartError", "failed to create containerd task: failed to create shim task: context canceled")
	for name, tc := range map[string]struct {
		statuses []corev1.ContainerStatus
		warning  bool
	}{
		"cut":           {[]corev1.ContainerStatus{cut}, true},
		"other error":   {[]corev1.ContainerStatus{terminated("StartError", "no such CDI device")}, false},
		"other reason":  {[]corev1.ContainerStatus{terminated("Error", "context canceled")}, false},
		"not the first": {[]corev1.ContainerStatus{cut, terminated("Error", "")}, false},
		"no container":  {nil, false},
	} {
		failed := pod("failed")
		failed.Status.Phase, failed.Status.ContainerStatuses = corev1.PodFailed, tc.statuses
		if found := audit.Failed([]corev1.Pod{failed}); len(found) != 1 || found[0].Rule.Warning() != tc.warning {
			t.Errorf("%s: %s", name, lines(found))
		}
	}
}

func TestConfirmNeedsTheSameVersions(t *testing.T) {
	bad := func(version string) []audit.Violation {
		w := goodWorld()
		w.Claims[0] = free("c")
		w.Claims[0].ResourceVersion = version
		return audit.Pods(w)
	}
	first := bad("1")
	if got := audit.Confirm(first, bad("1")); len(got) != 1 {
		t.Errorf("not confirmed by an unchanged world: %s", lines(got))
	}
	if got := audit.Confirm(first, bad("2")); len(got) != 0 {
		t.Errorf("confirmed though the claim has changed: %s", lines(got))
	}
	if got := audit.Confirm(first, nil); len(got) != 0 {
		t.Errorf("confirmed though it is gone: %s", lines(got))
	}
	if first[0].Identity() != bad("2")[0].Identity() {
		t.Error("the same violation has two identities")
	}
}
