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

package classic

import (
	"maps"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/dra-conformance/dratest/framework/audit"
	"github.com/dra-conformance/dratest/framework/harness/classicdra"
	"github.com/dra-conformance/dratest/framework/soak"
)

// holder is a driver with held devices only.
type holder struct {
	classicdra.Process

	held map[string]string
}

func (h *holder) Held() (map[string]string, error) { return maps.Clone(h.held), nil }

// watchedDriver watches a driver holding device n/d of a claim, as allocated.
func watchedDriver(t *testing.T, left ...runtime.Object) (w *watcher, driver *holder, reported *[]string) {
	t.Helper()
	reported = &[]string{}
	has := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "claim", UID: "uid", ResourceVersion: "1"}}
	has.Status.Allocation = &resourceapi.AllocationResult{Devices: resourceapi.DeviceAllocationResult{
		Results: []resourceapi.DeviceRequestAllocationResult{{Driver: "driver", Pool: "n", Device: "d"}}}}
	driver = &holder{held: map[string]string{"uid": "n/d"}}
	of := schema.GroupVersion{Group: classicdra.Group, Version: classicdra.Version}
	client := dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{
		of.WithResource("classicclaims"): "ClassicClaimList", of.WithResource("podschedulings"): "PodSchedulingList",
	}, left...)
	w = newWatcher(&Soak{client: client, driver: newProgram(driver, classicdra.ProcessConfig{})},
		soak.NewWatcher(fake.NewClientset(has), "ns", "driver", t.TempDir(), func(v audit.Violation, _ string, _ int) { *reported = append(*reported, v.String()) }))
	return w, driver, reported
}

// A device held twice is a violation at once, as is a claim's device not held any more.
func TestDriverThatHoldsOtherThanClaimsHave(t *testing.T) {
	w, driver, reported := watchedDriver(t)
	if !w.objects.Unpublished {
		t.Error("that devices are in no slice is a warning")
	}
	if _, clean, err := w.Look(t.Context(), w.Always); err != nil || !clean || len(*reported) > 0 {
		t.Errorf("clean %t, %v, told %q", clean, err, *reported)
	}
	driver.held["other"] = "n/d"
	if _, clean, err := w.Look(t.Context(), w.Always); err != nil || !clean || len(*reported) != 1 || !strings.Contains((*reported)[0], "held-for-two") {
		t.Errorf("clean %t, %v, told %q", clean, err, *reported)
	}
	driver.held = nil
	for range 2 {
		if _, clean, err := w.Look(t.Context(), w.Always); err != nil || clean {
			t.Errorf("clean %t, %v", clean, err)
		}
	}
	if len(*reported) != 2 || !strings.Contains((*reported)[1], "not-held") {
		t.Errorf("told %q", *reported)
	}
	seen, problems := w.Count()
	if c := seen.(Count); c.Held != 2 || c.Looks != 6 || len(problems) > 0 {
		t.Errorf("seen %+v, %q", c, problems)
	}
}

// Devices or records of a deleted claim are found after patience.
func TestWhatADriverLeavesIsFound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		record := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": classicdra.Group + "/" + classicdra.Version, "kind": "ClassicClaim", "spec": map[string]any{"claimUID": "gone"}}}
		record.SetNamespace("ns")
		record.SetName("gone")
		w, driver, reported := watchedDriver(t, record)
		driver.held["gone"] = "n/e"
		began := time.Now()
		if err := w.Settle(t.Context(), 10*time.Second); err != nil {
			t.Error(err)
		}
		if len(*reported) != 2 || !strings.Contains((*reported)[0], "left-held") || !strings.Contains((*reported)[1], "record-left") || time.Since(began) < 9*time.Second {
			t.Errorf("told %q after %s", *reported, time.Since(began))
		}
		// Earlier findings were mistaken for a driver without an answer.
		if err := w.Settle(t.Context(), time.Second); err != nil || len(*reported) != 2 {
			t.Errorf("told %q, %v", *reported, err)
		}
	})
}
