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
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	drav1 "k8s.io/kubelet/pkg/apis/dra/v1"
)

func notFound(d *driver, times int) prepareFunc {
	var answers atomic.Int32
	return func(_ context.Context, r *drav1.NodePrepareResourcesRequest) (*drav1.NodePrepareResourcesResponse, error) {
		if int(answers.Add(1)) > times {
			return d.usual(r), nil
		}
		return nil, status.Error(codes.NotFound, "no such claim")
	}
}

// KEP-4381, "NodePrepareResource Errors": the claim is verified, then the driver is called again
// after 1, 2 and 4 seconds.
func TestNotFoundIsRetried(t *testing.T) {
	w := newWorld(t)
	a := w.driver("a")
	p := pod("p", "c")
	w.reserve(claim("c", "a"), p)
	w.activate(p)
	a.onPrepare(notFound(a, 3))
	took, err := w.during(time.Second, func() error { return w.manager.Prepare(w.ctx, p) })
	if err != nil {
		t.Fatal(err)
	}
	w.equal("calls", a.seen(), "+c, +c, +c, +c")
	if gets := len(claimGets(w)); gets != 4 || took != 7*time.Second {
		t.Errorf("%d requests, took %s", gets, took)
	}
}

// If a driver keeps answering NOT_FOUND, users get an event. The next attempt continues the
// backoff.
func TestNotFoundForLong(t *testing.T) {
	w := newWorld(t)
	a := w.driver("a")
	p := pod("p", "c")
	w.reserve(claim("c", "a"), p)
	w.activate(p)
	a.onPrepare(notFound(a, 4))
	_, err := w.during(time.Second, func() error { return w.manager.Prepare(w.ctx, p) })
	w.fails(err, "prepare dynamic resources: NodePrepareResources: rpc error: code = NotFound desc = no such claim")
	a.seen()
	took, err := w.during(time.Second, func() error { return w.manager.Prepare(w.ctx, p) })
	if err != nil || took != 8*time.Second {
		t.Errorf("took %s: %v", took, err)
	}
	w.equal("calls", a.seen(), "+c")
}

// The claim does not exist.
func TestNotFoundBecauseDeleted(t *testing.T) {
	w := newWorld(t)
	a := w.driver("a")
	p := pod("p", "c")
	w.reserve(claim("c", "a"), p)
	a.onPrepare(func(context.Context, *drav1.NodePrepareResourcesRequest) (*drav1.NodePrepareResourcesResponse, error) {
		w.delete("c")
		return nil, status.Error(codes.NotFound, "no such claim")
	})
	w.refused(p, "NodePrepareResources: rpc error: code = NotFound desc = no such claim; the ResourceClaim was deleted")

	a.onUnprepare(func(context.Context, *drav1.NodeUnprepareResourcesRequest) (*drav1.NodeUnprepareResourcesResponse, error) {
		return nil, status.Error(codes.NotFound, "no such claim")
	})
	w.away(true)
	w.fails(w.manager.Unprepare(w.ctx, p), "unprepare dynamic resources: NodeUnprepareResources: rpc error: code = NotFound desc = no such claim; fetch ResourceClaim c: connection refused")
	w.away(false)
	w.unprepare(p)
	w.equal("checkpoint", w.saved(), "")
}

// After a pod was force-deleted, its node may not read the claim, whether it exists or not. The
// driver does not know it either: nothing is left to do.
func TestNotFoundAndPodIsGone(t *testing.T) {
	w := newWorld(t)
	a := w.driver("a")
	p := pod("p", "c")
	w.reserve(claim("c", "a"), p)
	w.prepare(p)
	a.onUnprepare(func(context.Context, *drav1.NodeUnprepareResourcesRequest) (*drav1.NodeUnprepareResourcesResponse, error) {
		return nil, status.Error(codes.NotFound, "no such claim")
	})
	w.onGet(forbidden)
	w.unprepare(p)
	w.equal("checkpoint", w.saved(), "")
}

// The pod is deleted during the lookup of its claim.
func TestPodIsDeletedDuringLookUp(t *testing.T) {
	w := newWorld(t)
	a := w.driver("a")
	p := pod("p", "c")
	w.reserve(claim("c", "a"), p)
	w.activate(p)
	ctx, cancel := context.WithCancel(w.ctx)
	a.onPrepare(func(context.Context, *drav1.NodePrepareResourcesRequest) (*drav1.NodePrepareResourcesResponse, error) {
		w.onGet(func() error {
			cancel()
			return context.Canceled
		})
		return nil, status.Error(codes.NotFound, "no such claim")
	})
	w.fails(w.manager.Prepare(ctx, p), "prepare dynamic resources: ")
	w.unprepare(p)
	if calls := a.seen(); !strings.HasSuffix(calls, "-c") {
		t.Errorf("calls are %q", calls)
	}
}
