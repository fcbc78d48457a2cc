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
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	drav1 "k8s.io/kubelet/pkg/apis/dra/v1"
	"k8s.io/utils/ptr"
)

func TestPodComesAndGoes(t *testing.T) {
	w := newWorld(t)
	a, b := w.driver("a"), w.driver("b")
	p := pod("p", "c1", "c2")
	w.reserve(claim("c1", "a", "b"), p)
	w.reserve(claim("c2", "a"), p)

	w.prepare(p)
	w.equal("calls of a", a.seen(), "+c1 c2")
	w.equal("calls of b", b.seen(), "+c1")
	w.equal("checkpoint", w.saved(), "c1=p c2=p")
	w.equal("devices", w.devices(p), "a/class=c1 b/class=c1 a/class=c2")
	if !w.manager.MightNeedToUnprepare("p") {
		t.Error("pod has claims")
	}
	w.prepare(p)
	w.equal("calls of a", a.seen(), "")

	w.unprepare(p)
	w.equal("calls of a", a.seen(), "-c1 c2")
	w.equal("calls of b", b.seen(), "-c1")
	w.equal("checkpoint", w.saved(), "")
	if w.manager.MightNeedToUnprepare("p") {
		t.Error("pod has no claims any more")
	}
	w.unprepare(p)
	w.equal("calls of a", a.seen(), "")
}

func TestPodWithoutClaims(t *testing.T) {
	w := newWorld(t)
	p := pod("p")
	w.prepare(p)
	w.equal("devices", w.devices(p), "")
	w.unprepare(p)
	if actions := len(claimGets(w)); actions != 0 {
		t.Errorf("%d requests for a pod without claims", actions)
	}
}

func TestClaimForExtendedResources(t *testing.T) {
	w := newWorld(t)
	a := w.driver("a")
	p := withExtended(pod("p"), "ext", "req")
	w.reserve(claim("ext", "a"), p)
	w.prepare(p)
	w.equal("calls", a.seen(), "+ext")
	w.equal("devices", w.devices(p), "a/class=ext")
	w.unprepare(p)
}

// With the feature gate off, the scheduler's status for extended resources is ignored.
func TestExtendedResourcesAreOff(t *testing.T) {
	w := newWorld(t)
	w.gates.DRAExtendedResource = false
	w.restart()
	p := withExtended(pod("p"), "ext", "req")
	w.prepare(p)
	w.equal("devices", w.devices(p), "")
	if p.Status.ExtendedResourceClaimStatus == nil {
		t.Error("pod was changed")
	}
}

// A container restarted after the feature gate was disabled would silently lose its devices, as
// with Kubernetes' kubelet.
func TestExtendedResourcesGoOnWhenTheyAreSwitchedOff(t *testing.T) {
	w := newWorld(t)
	a := w.driver("a")
	p := withExtended(pod("p"), "ext", "req")
	w.reserve(claim("ext", "a"), p)
	w.prepare(p)
	w.gates.DRAExtendedResource = false
	w.restart(a)
	w.equal("devices", w.devices(p), "a/class=ext")
	w.unprepare(p)
	w.equal("calls", a.seen(), "+ext, -ext")
}

// The checkpoint is on the disk before the first call.
func TestCheckpointComesBeforeTheCall(t *testing.T) {
	w := newWorld(t)
	a := w.driver("a")
	p := pod("p", "c")
	w.reserve(claim("c", "a"), p)
	var before string
	a.onPrepare(func(_ context.Context, r *drav1.NodePrepareResourcesRequest) (*drav1.NodePrepareResourcesResponse, error) {
		before = w.saved()
		return a.usual(r), nil
	})
	w.prepare(p)
	w.equal("checkpoint during the call", before, "c=p")
	if strings.Contains(before, "class") || !strings.Contains(string(w.file()), "a/class=c") {
		t.Errorf("the devices are not in the checkpoint: %s", w.file())
	}
}

func TestRefusedPods(t *testing.T) {
	generated := pod("p")
	generated.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "e", ResourceClaimTemplateName: ptr.To("tmpl")}}
	unallocated := claim("c")
	unallocated.Status.Allocation = nil
	for name, tc := range map[string]struct {
		pod      *corev1.Pod
		claim    *resourceapi.ResourceClaim
		reserved bool
		want     string
	}{
		"not created":   {pod: generated, want: `pod "ns/p": ResourceClaim not created yet`},
		"deleted":       {pod: pod("p", "c"), want: `fetch ResourceClaim c: resourceclaims.resource.k8s.io "c" not found`},
		"not reserved":  {pod("p", "c"), claim("c", "a"), false, "pod p (p) is not allowed to use ResourceClaim c (c)"},
		"not allocated": {pod("p", "c"), unallocated, true, "ResourceClaim c: not allocated"},
		"no driver":     {pod("p", "c"), claim("c", "a", "gone"), true, "DRA driver gone is not registered"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			a := w.driver("a")
			if tc.claim != nil {
				w.reserve(tc.claim)
			}
			if tc.reserved {
				w.reserve(tc.claim, tc.pod)
			}
			w.refused(tc.pod, tc.want)
			w.unprepare(tc.pod)
			w.equal("calls", a.seen(), "")
		})
	}
}

func TestSharedClaim(t *testing.T) {
	w := newWorld(t)
	a := w.driver("a")
	pods := []*corev1.Pod{pod("p", "c"), pod("q", "c"), pod("r", "c")}
	w.reserve(claim("c", "a"), pods...)
	w.together(pods, w.prepare)
	w.equal("calls", a.seen(), "+c")
	w.equal("checkpoint", w.saved(), "c=p+q+r")
	w.together(pods, w.unprepare)
	w.equal("calls", a.seen(), "-c")
	w.equal("checkpoint", w.saved(), "")
}

func (w *world) together(pods []*corev1.Pod, do func(*corev1.Pod)) {
	w.t.Helper()
	var wg sync.WaitGroup
	for _, p := range pods {
		wg.Go(func() { do(p) })
	}
	wg.Wait()
}

// A pod is deleted while the driver prepares its claim. Another pod waiting for the same claim is
// not affected.
func TestPodStopsWaiting(t *testing.T) {
	w := newWorld(t)
	a := w.driver("a")
	p, q := pod("p", "c"), pod("q", "c")
	w.reserve(claim("c", "a"), p, q)
	called := make(chan struct{})
	a.onPrepare(func(ctx context.Context, _ *drav1.NodePrepareResourcesRequest) (*drav1.NodePrepareResourcesResponse, error) {
		a.onPrepare(nil)
		close(called)
		<-ctx.Done()
		return nil, ctx.Err()
	})
	w.activate(p)
	w.activate(q)
	ctx, cancel := context.WithCancel(w.ctx)
	failed := make(chan error)
	go func() { failed <- w.manager.Prepare(ctx, p) }()
	<-called
	prepared := make(chan error)
	go func() { prepared <- w.manager.Prepare(w.ctx, q) }()
	w.eventually("q waits for the same claim", func() bool { return w.saved() == "c=p+q" })
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) || !strings.HasPrefix(err.Error(), "prepare dynamic resources: ") {
		t.Errorf("unexpected error: %v", err)
	}
	if err := <-prepared; err != nil {
		t.Error(err)
	}
	w.unprepare(p)
	w.unprepare(q)
	w.equal("left", strings.Join(a.holds(), " "), "")
}

// The reconcile loop finds deleted pods.
func TestGonePodsAreUnprepared(t *testing.T) {
	w := newWorld(t)
	a := w.driver("a")
	p, q := pod("p", "c"), pod("q", "d")
	w.reserve(claim("c", "a"), p)
	w.reserve(claim("d", "a"), q)
	w.prepare(p)
	w.prepare(q)
	a.seen()
	w.setActive(p)
	w.setReady(false)
	w.tick()
	w.equal("not all pods are known", a.seen(), "")
	w.setReady(true)
	w.tick()
	w.eventually("q is unprepared", func() bool { return w.saved() == "c=p" })
	w.equal("calls", a.seen(), "-d")
}

// A pod starting while the reconcile loop lists active pods is not treated as deleted.
func TestPodStartsDuringReconcile(t *testing.T) {
	w := newWorld(t)
	a := w.driver("a")
	w.connected("a")
	p, other := pod("p", "c"), pod("other", "d")
	w.reserve(claim("c", "a"), p)
	w.reserve(claim("d", "a"), other)
	w.prepare(other)
	listed := make(chan struct{})
	w.mu.Lock()
	w.onActive = func() []*corev1.Pod {
		stale := []*corev1.Pod{other}
		if err := w.manager.Prepare(w.ctx, p); err != nil {
			t.Error(err)
		}
		close(listed)
		return stale
	}
	w.mu.Unlock()
	w.tick()
	<-listed
	w.eventually("the loop is over", func() bool { return w.clock.Waiters() == 1 })
	w.equal("calls", a.seen(), "+d, +c")
}

// tick advances the clock by a minute for the reconcile loop.
func (w *world) tick() {
	w.t.Helper()
	w.eventually("somebody waits", w.clock.HasWaiters)
	w.clock.Step(61e9)
}

// A pod from before a restart is unprepared, and prepared when it starts again.
func TestRestart(t *testing.T) {
	w := newWorld(t)
	a := w.driver("a")
	p, q := pod("p", "c"), pod("q", "d")
	w.reserve(claim("c", "a"), p)
	w.reserve(claim("d", "a"), q)
	w.prepare(p)
	w.prepare(q)
	w.restart(a)
	a.seen()
	w.equal("devices", w.devices(p), "a/class=c")
	w.unprepare(p)
	w.prepare(q)
	w.equal("calls", a.seen(), "-c, +d")
}

// Running pods do not need the API server.
func TestRunningPodsNeedNoAPIServer(t *testing.T) {
	w := newWorld(t)
	a := w.driver("a")
	p := pod("p", "c")
	w.reserve(claim("c", "a"), p)
	w.prepare(p)
	w.restart(a)
	w.eventually("slices are removed at start", func() bool { return len(wipes(w)) == 2 })
	w.connected("a")
	w.client.ClearActions()
	for range 5 {
		w.tick()
		w.devices(p)
		w.manager.PodResources(w.ctx, p, &p.Spec.Containers[0])
		w.manager.UpdateStatus(w.ctx, p, &corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{Name: "main"}}})
	}
	if actions := w.client.Actions(); len(actions) != 0 {
		t.Errorf("requests at rest: %v", actions)
	}
}

// forbidden is the node authorizer's error.
func forbidden() error {
	return apierrors.NewForbidden(resourceapi.Resource("resourceclaims"), "c", errors.New("no relationship found"))
}

// forbid rejects the next requests for claims.
func (w *world) forbid(times int) {
	var asked atomic.Int32
	w.onGet(func() error {
		if int(asked.Add(1)) <= times {
			return forbidden()
		}
		return nil
	})
}

const isForbidden = `resourceclaims.resource.k8s.io "c" is forbidden: no relationship found`

// The kubelet read a new pod's claims before the API server's node authorizer knew about the pod.
// With stock kubelets such a pod waited for 6 to 9 s in dratest perf, and would have waited for 60 to 90 s by default.
func TestNodeMayReadTheClaimALittleLater(t *testing.T) {
	for name, tc := range map[string]struct {
		refusals, gets int
		took           time.Duration
		calls, want    string
	}{
		"soon":  {3, 5, 350 * time.Millisecond, "+c d", ""},
		"never": {100, 9, 6350 * time.Millisecond, "", "prepare dynamic resources: fetch ResourceClaim c: " + isForbidden},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			a := w.driver("a")
			p := pod("p", "c", "d")
			w.reserve(claim("c", "a"), p)
			w.reserve(claim("d", "a"), p)
			w.activate(p)
			w.forbid(tc.refusals)
			took, err := w.during(50*time.Millisecond, func() error { return w.manager.Prepare(w.ctx, p) })
			if tc.want != "" {
				w.fails(err, tc.want)
			} else if err != nil {
				t.Fatal(err)
			}
			if gets := len(claimGets(w)); gets != tc.gets || took != tc.took {
				t.Errorf("%d requests, took %s", gets, took)
			}
			w.equal("calls", a.seen(), tc.calls)
			w.forbid(0)
			w.prepare(p)
		})
	}
}

// A stopping kubelet cancels the wait.
func TestKubeletEndsBeforeNodeMayReadTheClaim(t *testing.T) {
	w := newWorld(t)
	w.driver("a")
	p := pod("p", "c")
	w.reserve(claim("c", "a"), p)
	ctx, cancel := context.WithCancel(w.ctx)
	w.onGet(func() error {
		cancel()
		return forbidden()
	})
	w.fails(w.manager.Prepare(ctx, p), "prepare dynamic resources: ")
	w.unprepare(p)
}

// The same when claims are read again after losing the checkpoint.
func TestLostCheckpointAndNodeMayNotReadTheClaimYet(t *testing.T) {
	w := newWorld(t)
	a := w.driver("a")
	p := pod("p", "c")
	w.reserve(claim("c", "a"), p)
	w.prepare(p)
	w.losesCheckpoint(a)
	w.forbid(3)
	w.eventually("the checkpoint is rebuilt", func() bool {
		w.clock.Step(50 * time.Millisecond)
		return string(w.file()) != "{"
	})
	w.equal("checkpoint", w.saved(), "c=p")
	if gets := len(claimGets(w)); gets != 5 {
		t.Errorf("%d requests, want one before and four after the restart", gets)
	}
}
