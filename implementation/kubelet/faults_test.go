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
	"testing"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	drav1 "k8s.io/kubelet/pkg/apis/dra/v1"
	"k8s.io/utils/ptr"
)

type prepared = map[string]*drav1.NodePrepareResourceResponse

// For any bad driver answer, the pod gets an event, the claim stays in the checkpoint, and a
// correct answer recovers.
func TestBadAnswers(t *testing.T) {
	good := []*drav1.Device{{PoolName: "pool", DeviceName: "dev"}}
	for name, tc := range map[string]struct {
		claims prepared
		want   string
	}{
		"no result":      {prepared{}, "NodePrepareResources skipped 1 ResourceClaims"},
		"another claim":  {prepared{"c": {Devices: good}, "d": {Devices: good}}, "NodePrepareResources returned result for unknown claim UID d"},
		"error":          {prepared{"c": {Error: "out of luck", Devices: good}}, "NodePrepareResources failed for ResourceClaim c: out of luck"},
		"invalid CDI ID": {prepared{"c": {Devices: []*drav1.Device{{CdiDeviceIds: []string{"gpu-1"}}}}}, `NodePrepareResources returned invalid CDI device ID "gpu-1" for ResourceClaim c: no device name after a =`},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			a := w.driver("a")
			p := pod("p", "c")
			w.reserve(claim("c", "a"), p)
			a.onPrepare(func(context.Context, *drav1.NodePrepareResourcesRequest) (*drav1.NodePrepareResourcesResponse, error) {
				return &drav1.NodePrepareResourcesResponse{Claims: tc.claims}, nil
			})
			w.refused(p, tc.want)
			w.recovers(a)
		})
	}
}

// recovers checks a world with pod p and its claim c of one driver.
func (w *world) recovers(a *driver) {
	w.t.Helper()
	p := pod("p", "c")
	w.equal("checkpoint", w.saved(), "c=p")
	a.onPrepare(nil)
	w.prepare(p)
	w.equal("devices", w.devices(p), "a/class=c")
	w.unprepare(p)
	w.equal("checkpoint", w.saved(), "")
	w.equal("left", strings.Join(a.holds(), " "), "")
}

func TestDriverNeverAnswers(t *testing.T) {
	w := newWorld(t)
	w.timeout = ptr.To(50 * time.Millisecond)
	a := w.driver("a")
	p := pod("p", "c")
	w.reserve(claim("c", "a"), p)
	a.onPrepare(func(ctx context.Context, r *drav1.NodePrepareResourcesRequest) (*drav1.NodePrepareResourcesResponse, error) {
		a.usual(r)
		<-ctx.Done()
		return nil, ctx.Err()
	})
	w.refused(p, "NodePrepareResources: rpc error: code = DeadlineExceeded desc = ")
	if w.counters.get("a /k8s.io.kubelet.pkg.apis.dra.v1.DRAPlugin/NodePrepareResources DeadlineExceeded") != 1 {
		t.Errorf("metrics are wrong: %v", w.counters.seen)
	}
	w.manager.DeRegisterPlugin(w.ctx, "a", a.socket)
	w.timeout = nil
	w.register(a)
	w.recovers(a)
}

// The driver prepares the claim but crashes before answering.
func TestDriverDiesBetweenCallAndAnswer(t *testing.T) {
	w := newWorld(t)
	a := w.driver("a")
	p := pod("p", "c")
	w.reserve(claim("c", "a"), p)
	a.onPrepare(func(ctx context.Context, r *drav1.NodePrepareResourcesRequest) (*drav1.NodePrepareResourcesResponse, error) {
		a.usual(r)
		go a.stop()
		<-ctx.Done()
		return nil, ctx.Err()
	})
	w.refused(p, "NodePrepareResources: rpc error: code = Unavailable desc = ")
	w.refused(p, "NodePrepareResources: rpc error: code = Unavailable desc = ")
	w.eventually("the loss is noticed", func() bool { return !w.manager.Connected("a") })
	a.stop()
	a.serve()
	w.connected("a")
	w.recovers(a)
}

// One driver fails: the other's result is kept.
func TestOneOfTwoDriversFails(t *testing.T) {
	w := newWorld(t)
	a, b := w.driver("a"), w.driver("b")
	p := pod("p", "c")
	w.reserve(claim("c", "a", "b"), p)
	b.onPrepare(func(context.Context, *drav1.NodePrepareResourcesRequest) (*drav1.NodePrepareResourcesResponse, error) {
		return nil, errors.New("no power")
	})
	w.refused(p, "NodePrepareResources: rpc error: code = Unknown desc = no power")
	b.onPrepare(nil)
	w.prepare(p)
	w.equal("calls of a", a.seen(), "+c")
	w.equal("calls of b", b.seen(), "+c, +c")
	w.equal("devices", w.devices(p), "a/class=c b/class=c")

	b.onUnprepare(func(context.Context, *drav1.NodeUnprepareResourcesRequest) (*drav1.NodeUnprepareResourcesResponse, error) {
		return &drav1.NodeUnprepareResourcesResponse{Claims: map[string]*drav1.NodeUnprepareResourceResponse{"c": {Error: "busy"}}}, nil
	})
	w.fails(w.manager.Unprepare(w.ctx, p), "unprepare dynamic resources: NodeUnprepareResources failed for ResourceClaim c: busy")
	if !w.manager.MightNeedToUnprepare("p") {
		t.Error("pod must not be reported as terminated")
	}
	b.onUnprepare(nil)
	w.unprepare(p)
	w.equal("calls of a", a.seen(), "-c")
	w.equal("calls of b", b.seen(), "-c, -c")
}

// A claim changes while its pod starts, after a failed first attempt.
func TestClaimChangesDuringStart(t *testing.T) {
	again := claim("c", "a")
	again.UID = "c-again"
	for name, tc := range map[string]struct {
		change   func(*world)
		want     string
		wantSeen string
	}{
		"deleted": {func(w *world) { w.delete("c") },
			`fetch ResourceClaim c: resourceclaims.resource.k8s.io "c" not found`, "-c"},
		"recreated": {func(w *world) { w.reserve(again.DeepCopy(), pod("p")) }, "", "-c, +c, -c"},
		"taken away": {func(w *world) { w.reserve(claim("c", "a"), pod("q")) },
			"pod p (p) is not allowed to use ResourceClaim c (c)", "-c"},
		"not allocated any more": {func(w *world) {
			c := claim("c")
			c.Status = resourceapi.ResourceClaimStatus{}
			w.reserve(c, pod("p"))
		}, "ResourceClaim c: not allocated", "-c"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			a := w.driver("a")
			p := pod("p", "c")
			w.reserve(claim("c", "a"), p)
			a.onPrepare(func(_ context.Context, r *drav1.NodePrepareResourcesRequest) (*drav1.NodePrepareResourcesResponse, error) {
				a.usual(r)
				return nil, errors.New("not yet")
			})
			w.refused(p, "NodePrepareResources: rpc error: code = Unknown desc = not yet")
			a.onPrepare(nil)
			a.seen()
			tc.change(w)
			if tc.want != "" {
				w.refused(p, tc.want)
			} else {
				w.prepare(p)
			}
			w.unprepare(p)
			w.equal("calls", a.seen(), tc.wantSeen)
			w.equal("left", strings.Join(a.holds(), " "), "")
			w.equal("checkpoint", w.saved(), "")
		})
	}
}

func TestAPIServerAway(t *testing.T) {
	w := newWorld(t)
	a := w.driver("a")
	p := pod("p", "c")
	w.reserve(claim("c", "a"), p)
	w.away(true)
	w.refused(p, "fetch ResourceClaim c: connection refused")
	w.away(false)
	w.prepare(p)
	w.away(true)
	w.client.ClearActions()
	w.equal("devices", w.devices(p), "a/class=c")
	w.unprepare(p)
	w.equal("calls", a.seen(), "+c, -c")
	if gets := claimGets(w); len(gets) != 0 {
		t.Errorf("a pod that stops needs no API server, but there were %v", gets)
	}
}

// kubernetes#129402: without the driver, the pod cannot terminate, and gets an event.
func TestTerminatingPodWithoutDriver(t *testing.T) {
	w := newWorld(t)
	a := w.driver("a")
	p := pod("p", "c")
	w.reserve(claim("c", "a"), p)
	w.prepare(p)
	w.manager.DeRegisterPlugin(w.ctx, "a", a.socket)
	w.fails(w.manager.Unprepare(w.ctx, p), "unprepare dynamic resources: DRA driver a is not registered")
	events := w.events()
	want := "Warning FailedUnprepareDynamicResources The pod cannot terminate before its ResourceClaims are unprepared: unprepare dynamic resources:" +
		" DRA driver a is not registered. The kubelet tries again by itself. Install, restart or repair the kubelet plugin of DRA driver a on this node."
	if len(events) != 1 || events[0] != want {
		t.Errorf("events are %q, want %q", events, want)
	}
	w.register(a)
	w.unprepare(p)
	w.equal("left", strings.Join(a.holds(), " "), "")
	if events := w.events(); len(events) != 0 {
		t.Errorf("unexpected events: %q", events)
	}
}

// A crashed driver has not deregistered. The pod gets the same event.
func TestTerminatingPodAndKilledDriver(t *testing.T) {
	w := newWorld(t)
	a := w.driver("a")
	p := pod("p", "c")
	w.reserve(claim("c", "a"), p)
	w.prepare(p)
	a.stop()
	w.fails(w.manager.Unprepare(w.ctx, p), "unprepare dynamic resources: NodeUnprepareResources: rpc error: code = Unavailable")
	events := w.events()
	if len(events) != 1 || !strings.HasPrefix(events[0], "Warning FailedUnprepareDynamicResources The pod cannot terminate ") ||
		!strings.HasSuffix(events[0], " Install, restart or repair the kubelet plugin of DRA driver a on this node.") {
		t.Errorf("events are %q", events)
	}
}

func TestOperationsAreCounted(t *testing.T) {
	w := newWorld(t)
	w.driver("a")
	p := pod("p", "c")
	c := claim("c", "a", "b")
	c.Status.Allocation.Devices.Results[1].SkipNodeOperations = []resourceapi.SkipNodeOperation{"*"}
	w.refused(p, "fetch ResourceClaim c: ")
	w.reserve(c, p)
	w.prepare(p)
	w.prepare(p)
	w.unprepare(p)
	for key, want := range map[string]int{"PrepareResources failed": 1, "PrepareResources": 2, "UnprepareResources": 1,
		"prepare skipped b": 1, "unprepare skipped b": 1, "prepare skipped a": 0,
		"a /k8s.io.kubelet.pkg.apis.dra.v1.DRAPlugin/NodeUnprepareResources OK": 1} {
		if got := w.counters.get(key); got != want {
			t.Errorf("%s: %d times, want %d", key, got, want)
		}
	}
}
