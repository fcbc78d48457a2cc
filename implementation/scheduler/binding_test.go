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
	"strings"
	"testing"
	"testing/synctest"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// fabric makes a device attachable.
func fabric(timeout string) func(*resourceapi.Device) {
	return func(d *resourceapi.Device) {
		d.BindingConditions = []string{"ready"}
		d.BindingFailureConditions = []string{"broken"}
		if timeout != "" {
			d.Attributes = map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{BindingTimeoutAttribute: {StringValue: &timeout}}
		}
	}
}

// conditions adds binding conditions to the first device of an allocated claim and sets these to true.
func conditions(names ...string) func(*resourceapi.ResourceClaim) {
	return func(c *resourceapi.ResourceClaim) {
		result := &c.Status.Allocation.Devices.Results[0]
		result.BindingConditions = []string{"ready"}
		result.BindingFailureConditions = []string{"broken"}
		status := resourceapi.AllocatedDeviceStatus{Driver: result.Driver, Pool: result.Pool, Device: result.Device}
		for _, name := range names {
			status.Conditions = append(status.Conditions, metav1.Condition{Type: name, Status: metav1.ConditionTrue, Reason: "Because", Message: "so"})
		}
		c.Status.Devices = []resourceapi.AllocatedDeviceStatus{status}
	}
}

// binding schedules a pod with one fabric device, calls do while it waits, and returns the outcome and
// duration of binding.
func binding(t *testing.T, timeout string, do func(w *world)) (message string, took time.Duration, w *world) {
	t.Helper()
	objects := []runtime.Object{node("a"), slice("a", 1, fabric(timeout)), class("class"), asking("claim", 1)}
	w = newWorld(t, objects...)
	r := w.find(using("pod", "claim"))
	start := time.Now()
	done := make(chan string)
	go func() { done <- r.bind() }()
	synctest.Wait()
	do(w)
	message = <-done
	return message, time.Since(start), w
}

func TestBindingConditions(t *testing.T) {
	for _, tc := range []struct {
		name, timeout string
		do            func(w *world)
		want          string
		outcome       Outcome
		took          time.Duration
	}{
		{"ready", "", func(w *world) {
			<-time.After(time.Minute) // bubble time
			w.update("claim", conditions("ready"))
		}, "", OutcomeSuccess, time.Minute},
		{"failed", "", func(w *world) { w.update("claim", conditions("broken")) },
			`device binding failed: claim=claim, reason=Because, message="so"`, OutcomeFailure, 0},
		{"failed and ready", "", func(w *world) { w.update("claim", conditions("ready", "broken")) }, "device binding failed", OutcomeFailure, 0},
		{"default timeout", "", func(*world) {}, "device binding timeout", OutcomeTimeout, 10 * time.Minute},
		{"shorter timeout of the device", "90s", func(*world) {}, "device binding timeout: claim=claim", OutcomeTimeout, 90 * time.Second},
		{"longer timeout of the device", "20m", func(*world) {}, "device binding timeout", OutcomeTimeout, 20 * time.Minute},
		{"nonsense as timeout", "soon", func(*world) {}, "device binding timeout", OutcomeTimeout, 10 * time.Minute},
		{"deallocated", "", func(w *world) {
			w.update("claim", func(c *resourceapi.ResourceClaim) { c.Status.Allocation = nil })
		}, "claim ns/claim got deallocated elsewhere in the meantime", OutcomeError, 0},
		{"deleted", "", func(w *world) { w.delete("claim") }, "get claim ns/claim", OutcomeError, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				message, took, w := binding(t, tc.timeout, tc.do)
				if (message == "") != (tc.want == "") || !strings.Contains(message, tc.want) {
					t.Errorf("bind: %q, want %q", message, tc.want)
				}
				// API timestamps are truncated to seconds.
				if took < tc.took-time.Second || took > tc.took+time.Second {
					t.Errorf("took %s, want %s", took, tc.took)
				}
				for _, metric := range []string{"wait", "allocation"} {
					if n := w.metrics.counts[metric+"/profile/"+driver+"/"+string(tc.outcome)]; n != 1 {
						t.Errorf("metric %s: %v", metric, w.metrics.counts)
					}
				}
				if event := <-w.handle.recorder.Events; event != "Normal BindingConditionsPending waiting for binding conditions for device on node a" {
					t.Errorf("event %q", event)
				}
			})
		})
	}
}

func TestTimeoutIsKnownToTheNextAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		message, _, w := binding(t, "90s", func(*world) {})
		if !strings.Contains(message, "timeout") {
			t.Fatalf("bind: %q", message)
		}
		if got := w.claim("claim").Annotations[bindingTimeoutAnnotation]; got != "1m30s" {
			t.Errorf("annotation %q", got)
		}
		synctest.Wait()
		r := w.find(using("pod", "claim"))
		r.wantRejected("resourceclaim not available on the node")
		if got := r.postFilter(); got != "deallocation of ResourceClaim completed" {
			t.Errorf("PostFilter: %q", got)
		}
	})
}

func TestShortestTimeoutCounts(t *testing.T) {
	claim := asking("claim", 2, allocated("a"), conditions())
	results := &claim.Status.Allocation.Devices.Results
	*results = append(*results, *(*results)[0].DeepCopy())
	(*results)[1].Device = "device-1"
	for _, tc := range []struct {
		name        string
		first, then string
		want        string
	}{
		{"none", "", "", ""},
		{"both", "1m", "2m", "1m0s"},
		{"default is shorter", "", "20m", "10m0s"},
		{"default is longer", "1m", "", "1m0s"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t, node("a"), slice("a", 2, fabric("")))
			slices, _ := w.manager.ListWithDeviceTaintRules()
			published := slices[0].DeepCopy()
			fabric(tc.first)(&published.Spec.Devices[0])
			fabric(tc.then)(&published.Spec.Devices[1])
			reachable, err := w.plugin.cluster.devices([]*resourceapi.ResourceSlice{published}).Node(w.nodes[0])
			if err != nil {
				t.Fatal(err)
			}
			if got := w.plugin.bindingTimeoutOf(reachable, claim); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestAnnotationOfAnEarlierAllocationGoes(t *testing.T) {
	claim := asking("claim", 1)
	if !setBindingTimeout(claim, "1m") || setBindingTimeout(claim, "1m") || claim.Annotations[bindingTimeoutAnnotation] != "1m" {
		t.Errorf("annotations %v", claim.Annotations)
	}
	if !setBindingTimeout(claim, "") || len(claim.Annotations) != 0 {
		t.Errorf("annotations %v", claim.Annotations)
	}
}

func TestDescribeBinding(t *testing.T) {
	a := &attempt{claims: []*claimAttempt{{claim: asking("claim", 1, allocated("a"), conditions("broken"))}, {claim: asking("free", 1)}}}
	want := "<driver=driver.example.com, pool=a> device-0 failed=[broken] pending=[ready]"
	if got := describeBinding(a); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
