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
	"time"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/klog/v2"

	"github.com/dra-conformance/dratest/implementation/inventory"
)

// update changes a claim in the API and waits for the plugin's informer.
func (w *world) update(name string, change func(*resourceapi.ResourceClaim)) {
	w.t.Helper()
	claim := w.claim(name)
	changed, stop := w.plugin.cluster.watches.watch([]types.UID{claim.UID})
	defer stop()
	change(claim)
	if _, err := w.client.ResourceV1().ResourceClaims("ns").UpdateStatus(w.ctx, claim, metav1.UpdateOptions{}); err != nil {
		w.t.Fatal(err)
	}
	w.await(changed)
}

// tracked returns a claim from the tracker.
func (w *world) tracked(name string) *resourceapi.ResourceClaim {
	w.t.Helper()
	object, err := w.client.Tracker().Get(resourceapi.SchemeGroupVersion.WithResource("resourceclaims"), "ns", name)
	if err != nil {
		w.t.Fatal(err)
	}
	return object.(*resourceapi.ResourceClaim).DeepCopy()
}

// delete deletes a claim in the API and waits for the plugin's informer.
func (w *world) delete(name string) {
	w.t.Helper()
	changed, stop := w.plugin.cluster.watches.watch([]types.UID{w.claim(name).UID})
	defer stop()
	if err := w.client.ResourceV1().ResourceClaims("ns").Delete(w.ctx, name, metav1.DeleteOptions{}); err != nil {
		w.t.Fatal(err)
	}
	w.await(changed)
}

// create creates a claim in the API and waits for the plugin's informer.
func (w *world) create(claim *resourceapi.ResourceClaim) {
	w.t.Helper()
	changed, stop := w.plugin.cluster.watches.watch([]types.UID{claim.UID})
	defer stop()
	if _, err := w.client.ResourceV1().ResourceClaims("ns").Create(w.ctx, claim, metav1.CreateOptions{}); err != nil {
		w.t.Fatal(err)
	}
	w.await(changed)
}

func (w *world) await(changed <-chan struct{}) {
	w.t.Helper()
	select {
	case <-changed:
	case <-time.After(10 * time.Second):
		w.t.Fatal("the plugin did not see the change")
	}
}

// until waits for an informer event.
func (w *world) until(what string, is func() bool) {
	w.t.Helper()
	err := wait.PollUntilContextTimeout(w.ctx, time.Millisecond, 10*time.Second, true, func(context.Context) (bool, error) { return is(), nil })
	if err != nil {
		w.t.Fatalf("%s: %v", what, err)
	}
}

// fail makes the first API calls fail for a verb and resource (with subresource, if any:
// "resourceclaims/status").
func (w *world) fail(verb, resource string, times int, err error) {
	w.client.PrependReactor(verb, "*", func(action clienttesting.Action) (bool, runtime.Object, error) {
		name := action.GetResource().Resource
		if action.GetSubresource() != "" {
			name += "/" + action.GetSubresource()
		}
		if name != resource || times == 0 {
			return false, nil, nil
		}
		times--
		return true, nil, err
	})
}

// free checks that nothing is in flight and only these claims are in use.
func (w *world) free(claims ...string) {
	w.t.Helper()
	if n := w.manager.pending(); n != 0 {
		w.t.Errorf("%d pending allocations of the DRA manager left", n)
	}
	inUse := 0
	for _, name := range claims {
		inUse += len(devicesOf(w.claim(name)))
	}
	held := 0
	for _, node := range w.nodes {
		if use := w.plugin.cluster.state.Snapshot().Pool(inventory.PoolID{Driver: driver, Pool: node.Name}); use != nil {
			held += len(use.Devices)
		}
	}
	if held != inUse {
		w.t.Errorf("%d devices are held in memory, %d in the API", held, inUse)
	}
}

func (w *world) logger() klog.Logger { return klog.FromContext(w.ctx) }
