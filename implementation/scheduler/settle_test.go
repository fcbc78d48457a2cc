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
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"
)

// network simulates an API server with version checks. The next status update gets stuck on the way.
type network struct {
	w     *world
	stuck *resourceapi.ResourceClaim
	// away drops all requests.
	away atomic.Bool
}

func newNetwork(w *world) *network {
	n := &network{w: w}
	w.client.PrependReactor("*", "resourceclaims", func(action clienttesting.Action) (bool, runtime.Object, error) {
		if n.away.Load() && action.GetVerb() != "watch" {
			return true, nil, errors.New("no route to host")
		}
		update, ok := action.(clienttesting.UpdateAction)
		if !ok {
			return false, nil, nil
		}
		claim := update.GetObject().(*resourceapi.ResourceClaim)
		if action.GetSubresource() == "status" && n.stuck == nil {
			n.stuck = claim.DeepCopy()
			return true, nil, errors.New("connection reset")
		}
		if !n.current(claim) {
			return true, nil, apierrors.NewConflict(claimResource(), claim.Name, errors.New("changed"))
		}
		return false, nil, nil
	})
	return n
}

// current reports whether a request has the API server's version.
func (n *network) current(claim *resourceapi.ResourceClaim) bool {
	known, err := n.w.client.Tracker().Get(resourceapi.SchemeGroupVersion.WithResource("resourceclaims"), "ns", claim.Name)
	return err == nil && known.(*resourceapi.ResourceClaim).ResourceVersion == claim.ResourceVersion
}

// deliver lets the stuck request arrive and reports whether it succeeds.
func (n *network) deliver() bool {
	n.w.t.Helper()
	if !n.current(n.stuck) {
		return false
	}
	setVersion(n.stuck, 1000)
	if err := n.w.client.Tracker().Update(resourceapi.SchemeGroupVersion.WithResource("resourceclaims"), n.stuck, "ns"); err != nil {
		n.w.t.Error(err)
	}
	return true
}

// The write of an allocation seems to have failed: the claim has none. The request is still in transit
// and arrives after the check. The devices were given to the next pod.
func TestWriteArrivesAfterItWasLookedFor(t *testing.T) {
	w := newWorld(t, small()...)
	n := newNetwork(w)
	delivered := false
	w.client.PrependReactor("get", "resourceclaims", func(clienttesting.Action) (bool, runtime.Object, error) {
		if n.stuck == nil || delivered {
			return false, nil, nil
		}
		delivered = true
		before := w.tracked("one")
		if !n.deliver() {
			t.Error("the request is not served")
		}
		return true, before, nil
	})
	w.schedule(using("pod", "one"))
	if got := devicesOf(w.claim("one")); !slices.Equal(got, []string{"a/device-0"}) {
		t.Errorf("devices %v", got)
	}
	w.free("one")
}

func TestWriteArrivesAfterItWasGivenUp(t *testing.T) {
	w := newWorld(t, small()...)
	n := newNetwork(w)
	if message := w.find(using("pod", "one")).bind(); !strings.Contains(message, "connection reset") {
		t.Fatalf("bind: %q", message)
	}
	if n.deliver() {
		t.Error("the request is served though its device is free")
	}
	if claim := w.claim("one"); slices.Contains(claim.Finalizers, resourceapi.Finalizer) {
		t.Errorf("finalizers %v", claim.Finalizers)
	}
	w.free("one")
	w.schedule(using("pod", "one"))
}

// Binding ends before the fate of a write is known. The device stays in use until then; afterwards
// waiting pods are retried.
func TestBindingEndsBeforeTheFateOfAWriteIsKnown(t *testing.T) {
	for _, served := range []bool{true, false} {
		w := newWorld(t, small(asking("both", 2), using("greedy", "both"))...)
		n := newNetwork(w)
		r := w.find(using("pod", "one"))
		if status := w.plugin.Reserve(w.ctx, r.cycle, r.pod, r.node); !status.IsSuccess() {
			t.Fatal(status)
		}
		ctx, cancel := context.WithCancel(w.ctx)
		var once sync.Once
		w.client.PrependReactor("get", "resourceclaims", func(clienttesting.Action) (bool, runtime.Object, error) {
			once.Do(func() {
				n.away.Store(true)
				cancel()
			})
			return false, nil, nil
		})
		if status := w.plugin.PreBind(ctx, r.cycle, r.pod, r.node); !errors.Is(status.AsError(), errUnsettled) {
			t.Errorf("PreBind: %v", status)
		}
		w.plugin.Unreserve(w.ctx, r.cycle, r.pod, r.node)
		w.find(using("greedy", "both")).wantRejected("most matching devices are allocated")
		w.find(using("sharing", "one")).wantRejected("in the process of being allocated")
		if served {
			n.deliver()
		}
		n.away.Store(false)
		w.until("no allocation is pending", func() bool { return w.manager.pending() == 0 })
		var woken []string
		w.until("pods are tried again", func() bool {
			woken = append(woken, w.handle.woken()...)
			return slices.Contains(woken, "ns/sharing") && slices.Contains(woken, "ns/greedy") != served
		})
		if got := devicesOf(w.claim("one")); len(got) == 1 != served {
			t.Errorf("devices %v, want some: %v", got, served)
		}
		w.free("one", "both")
	}
}
