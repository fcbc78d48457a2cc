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

package timeline

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/spec"
)

var start = time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)

func at(ms int) time.Time { return start.Add(time.Duration(ms) * time.Millisecond) }

func TestMerge(t *testing.T) {
	entries := []spec.TimelineEntry{
		{Time: at(300), Source: spec.FromStep, Text: "third"},
		{Time: at(100), Source: spec.FromPod, Object: "p", Text: "first\n  line"},
		{Time: at(100), Source: spec.FromClaim, Object: "c", Text: "second, as it was said later"},
		{Time: at(-60000), Source: spec.FromKubelet, Text: "of an earlier case"},
		{Time: at(60000), Source: spec.FromKubelet, Text: "of a later case"},
	}
	got := Merge("core/x", start, at(1000), entries, []string{"events: refused"})
	var texts []string
	for _, e := range got.Entries {
		texts = append(texts, e.Text)
	}
	if want := []string{"first line", "second, as it was said later", "third"}; !slices.Equal(texts, want) {
		t.Errorf("entries %q, want %q", texts, want)
	}
	if got.ID != "core/x" || got.SchemaVersion != spec.TimelineVersion || !slices.Equal(got.Missing, []string{"events: refused"}) {
		t.Errorf("timeline: %+v", got)
	}
}

func TestMergeIsBounded(t *testing.T) {
	var entries []spec.TimelineEntry
	for i := range 1000 {
		entries = append(entries, spec.TimelineEntry{Time: at(i), Source: spec.FromKubelet, Object: "n", Text: fmt.Sprintf("%d %s", i, strings.Repeat("é", maxText))})
	}
	entries = append(entries, spec.TimelineEntry{Time: at(500), Source: spec.FromStep, Text: "stays"})
	got := Merge("x", start, at(1000), entries, nil)
	if len(got.Entries) != maxEntries+1 {
		t.Fatalf("%d entries, want %d", len(got.Entries), maxEntries+1)
	}
	first, last := got.Entries[0].Text, got.Entries[maxEntries].Text
	if !strings.HasPrefix(first, "0 é") || !strings.HasPrefix(last, "999 é") || len(first) > maxText+5 || !strings.HasSuffix(first, "é …") {
		t.Errorf("first %q, last %q", first, last)
	}
	if want := []string{"kubelet n: 750 of 1000 entries, those in the middle"}; !slices.Equal(got.Missing, want) {
		t.Errorf("missing %q, want %q", got.Missing, want)
	}
}

func TestChange(t *testing.T) {
	tests := []struct {
		name          string
		before, after []Fact
		want          string
	}{
		{"same", []Fact{{"phase", "Running"}}, []Fact{{"phase", "Running"}}, ""},
		{"new", nil, []Fact{{"phase", "Pending"}, {"being deleted", ""}}, "phase Pending; being deleted"},
		{"changed", []Fact{{"phase", "Pending"}}, []Fact{{"phase", "Running"}, {"on node", "a"}}, "phase Pending → Running; on node a"},
		{"gone", []Fact{{"reserved for p", ""}}, nil, "not reserved for p any more"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := Change(test.before, test.after); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestFacts(t *testing.T) {
	p := &corev1.Pod{Spec: corev1.PodSpec{NodeName: "worker"}, Status: corev1.PodStatus{
		Phase:             corev1.PodPending,
		Conditions:        []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: "Unschedulable", Message: "no device"}},
		ContainerStatuses: []corev1.ContainerStatus{{Name: "main", State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 2, Reason: "Error"}}}},
	}}
	facts, state := Pod(p)
	if want := "created: phase Pending; on node worker; PodScheduled False (Unschedulable: no device); container main ended with 2 (Error)"; Object(spec.FromPod, "p", nil, facts, state).Text != want {
		t.Errorf("pod: %s", Object(spec.FromPod, "p", nil, facts, state).Text)
	}
	now := metav1.Now()
	p.DeletionTimestamp = &now
	if _, state := Pod(p); state != "Terminating" {
		t.Errorf("state of a pod that is being deleted: %s", state)
	}
	c := &resourceapi.ResourceClaim{}
	none, state := Claim(c)
	if state != "Pending" {
		t.Errorf("state of a new claim: %s", state)
	}
	c.Status.Allocation = &resourceapi.AllocationResult{Devices: resourceapi.DeviceAllocationResult{Results: []resourceapi.DeviceRequestAllocationResult{
		{Request: "gpu", Pool: "worker", Device: "0"}, {Request: "gpu", Pool: "worker", Device: "1"},
	}}}
	c.Status.ReservedFor = []resourceapi.ResourceClaimConsumerReference{{Name: "p"}}
	facts, state = Claim(c)
	if want := "state Pending → Reserved; allocated worker/0 for request gpu; allocated worker/1 for request gpu; reserved for p"; Change(none, facts) != want || state != "Reserved" {
		t.Errorf("claim: %s, %s", Change(none, facts), state)
	}
	s := &resourceapi.ResourceSlice{Spec: resourceapi.ResourceSliceSpec{Pool: resourceapi.ResourcePool{Name: "worker", ResourceSliceCount: 1},
		Devices: []resourceapi.Device{{Name: "0", Taints: []resourceapi.DeviceTaint{{Key: "k", Value: "v", Effect: "NoExecute"}}}}}}
	facts, _ = Slice(s)
	if want := "pool worker; generation 0; slices of the pool 1; devices 1; taint of 0 k=v:NoExecute"; Change(nil, facts) != want {
		t.Errorf("slice: %s", Change(nil, facts))
	}
}

func TestJournal(t *testing.T) {
	log := `-- Journal begins at Sun 2026-11-22 --
2026-11-22T10:00:00.100000+0000 worker kubelet[12]: I1122 10:00:00.099000      12 kubelet.go:2467] "SyncLoop ADD" pods=["ns/p"]
2026-11-22T10:00:00.200000+00:00 worker kubelet[12]: E1122 10:00:00.200000      12 pod_workers.go:1] "Error syncing pod" pod="ns/p"
2026-11-22T10:00:00.300000+0000 worker systemd[1]: kubelet.service: done
not a line
`
	want := []spec.TimelineEntry{
		{Time: at(100), Source: spec.FromKubelet, Object: "worker", Text: `"SyncLoop ADD" pods=["ns/p"] (kubelet.go:2467)`},
		{Time: at(200), Source: spec.FromKubelet, Object: "worker", Text: `"Error syncing pod" pod="ns/p" (pod_workers.go:1)`, Severity: spec.SeverityError},
		{Time: at(300), Source: spec.FromKubelet, Object: "worker", Text: "kubelet.service: done"},
	}
	if diff := cmp.Diff(want, Journal([]byte(log), "worker")); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
}

func TestStamped(t *testing.T) {
	got := Stamped(`2026-11-22T10:00:00.1Z W1122 10:00:00.099000       1 schedule_one.go:2] "Unable" pod="ns/p"`+"\n", spec.FromScheduler, "s")
	want := &spec.TimelineEntry{Time: at(100), Source: spec.FromScheduler, Object: "s", Text: `"Unable" pod="ns/p" (schedule_one.go:2)`, Severity: spec.SeverityWarning}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("entry (-want +got):\n%s", diff)
	}
	if got := Stamped("no time", spec.FromScheduler, "s"); got != nil {
		t.Errorf("a line without a time is %v", got)
	}
}

func TestCalls(t *testing.T) {
	calls := []spec.Call{
		{Method: spec.Prepare, GRPC: spec.GRPCv1, Start: at(1), Took: time.Second, Claims: []spec.ClaimCall{{Name: "c", CDIDevices: []string{"v/c=d"}}}},
		{Method: spec.Prepare, GRPC: spec.GRPCv1, Start: at(2), InProgress: true, Fault: spec.FaultHang, Claims: []spec.ClaimCall{{Name: "c"}}},
		{Method: spec.Unprepare, GRPC: spec.GRPCv1, Start: at(3), Claims: []spec.ClaimCall{{Name: "c", Error: "busy"}}},
	}
	var got []string
	for _, e := range Calls(calls, "n") {
		got = append(got, fmt.Sprintf("%s %s %t %s", e.Text, e.Took, e.Open, e.Severity))
	}
	want := []string{
		"NodePrepareResources (v1); claim c: v/c=d 1s false ",
		"NodePrepareResources (v1); claim c: no answer yet; scripted fault Hang 0s true ",
		"NodeUnprepareResources (v1); claim c: error: busy 0s false error",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}
