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

package fabric

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/audit"
	casefabric "github.com/dra-conformance/dratest/framework/harness/fabric"
	"github.com/dra-conformance/dratest/framework/soak"
	"github.com/dra-conformance/dratest/framework/spec"
)

// fabricOf is a read-only fabric.
type fabricOf struct {
	casefabric.Client

	devices map[string]spec.FabricDevice
	down    bool
}

func (f *fabricOf) Devices(context.Context) (map[string]spec.FabricDevice, error) {
	if f.down {
		return nil, errors.New("connection refused")
	}
	return f.devices, nil
}

// watchedFabric watches a fabric with gpu-0 attached, as allocated to a claim in use.
func watchedFabric(t *testing.T, others ...runtime.Object) (w *watcher, fabric *fabricOf, reported *[]string) {
	t.Helper()
	reported = &[]string{}
	has := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "claim", UID: "uid", ResourceVersion: "1"}}
	has.Status.ReservedFor = []resourceapi.ResourceClaimConsumerReference{{Resource: "pods", Name: "pod"}}
	has.Status.Allocation = &resourceapi.AllocationResult{Devices: resourceapi.DeviceAllocationResult{
		Results: []resourceapi.DeviceRequestAllocationResult{{Driver: "driver", Pool: "node", Device: "gpu-0"}}}}
	fabric = &fabricOf{devices: map[string]spec.FabricDevice{"gpu-0": {ID: "gpu-0", Phase: "Attached", Node: "node", Key: "key"}}}
	w = newWatcher(fabric, Reschedule, soak.NewWatcher(fake.NewClientset(append(others, has)...), "ns", "driver", t.TempDir(), func(v audit.Violation, _ string, _ int) {
		*reported = append(*reported, v.String())
	}))
	w.answered = time.Now()
	return w, fabric, reported
}

// Manually detaching a pod's device is a violation, reported once.
func TestDeviceThatIsDetachedInUseIsFound(t *testing.T) {
	w, fabric, reported := watchedFabric(t)
	if _, clean, err := w.Look(t.Context(), audit.Attached); err != nil || !clean {
		t.Errorf("clean %t, %v", clean, err)
	}
	fabric.devices["gpu-0"] = spec.FabricDevice{ID: "gpu-0", Phase: "Detaching", Node: "node"}
	for range 2 {
		if _, clean, err := w.Look(t.Context(), audit.Attached); err != nil || clean {
			t.Errorf("clean %t, %v", clean, err)
		}
	}
	if len(*reported) != 1 || !strings.Contains((*reported)[0], "detached-in-use") {
		t.Errorf("told %q", *reported)
	}
	seen, _ := w.Count()
	if got := seen.(Count); got.Attached != 1 || got.Local != 1 || got.Looks != 5 || got.Unanswered != 0 {
		t.Errorf("summary %+v", got)
	}
}

// A driver publishing a removed device is found after patience; a soak of drivers without any used local device
// proves nothing.
func TestDeviceThatIsPublishedElsewhereIsFound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stale := &resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: "stale"}, Spec: resourceapi.ResourceSliceSpec{
			Driver: "driver", NodeName: ptr.To("node"), Devices: []resourceapi.Device{{Name: "gpu-1"}}}}
		w, fabric, reported := watchedFabric(t, stale)
		fabric.devices["gpu-1"] = spec.FabricDevice{ID: "gpu-1", Phase: "Free"}
		if _, problems := w.Count(); len(problems) != 2 || !strings.Contains(problems[1], "did not exercise the drivers") {
			t.Errorf("problems %q", problems)
		}
		if err := w.Settle(t.Context(), 10*time.Second); err != nil {
			t.Error(err)
		}
		if len(*reported) != 1 || !strings.Contains((*reported)[0], "published-unattached") {
			t.Errorf("told %q", *reported)
		}
	})
}

// A device attached without a claim is found after patience.
func TestDeviceThatIsLeftAttachedIsFound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, fabric, reported := watchedFabric(t)
		fabric.devices["gpu-1"] = spec.FabricDevice{ID: "gpu-1", Phase: "Attached", Node: "node", Key: "nobody"}
		began := time.Now()
		if err := w.Settle(t.Context(), 10*time.Second); err != nil {
			t.Error(err)
		}
		if len(*reported) != 1 || !strings.Contains((*reported)[0], "left-attached") || time.Since(began) < 9*time.Second {
			t.Errorf("told %q after %s", *reported, time.Since(began))
		}
	})
}

// A fabric killed now and then is no problem, one that never comes back is.
func TestFabricThatDoesNotAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, fabric, _ := watchedFabric(t)
		fabric.down = true
		ctx, cancel := context.WithTimeout(t.Context(), silence-time.Second)
		defer cancel()
		w.Run(ctx)
		if len(w.objects.Problems()) > 0 {
			t.Errorf("problems %q", w.objects.Problems())
		}
		ctx, cancel = context.WithTimeout(t.Context(), silence+2*time.Second)
		defer cancel()
		w.Run(ctx)
		if len(w.objects.Problems()) != 1 || !strings.Contains(w.objects.Problems()[0], "does not answer for 30s") {
			t.Errorf("problems %q", w.objects.Problems())
		}
	})
}
