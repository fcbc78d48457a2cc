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

package driver

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/dra-conformance/dratest/framework/audit"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/schema"
)

var began = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// call is a call at a second of the load.
func call(second int, method spec.Method, took time.Duration, uid string) spec.Call {
	return spec.Call{Method: method, Start: began.Add(time.Duration(second) * time.Second), Took: took, Claims: []spec.ClaimCall{{Namespace: "ns", Name: "claim-" + uid, UID: types.UID(uid)}}}
}

// measured is a load of ten minutes with a pod each second; use returns memory in MiB and files by sample.
func measured(use func(i int) (memory uint64, files int)) Measured {
	m := Measured{Began: began, Took: 10 * time.Minute, Calls: map[string][]spec.Call{}}
	for i := range 600 {
		m.Calls["n"] = append(m.Calls["n"], call(i, spec.Prepare, time.Duration(10+i/60)*time.Millisecond, "a"), call(i, spec.Unprepare, time.Millisecond, "a"))
		m.Starts = append(m.Starts, Start{At: began.Add(time.Duration(i) * time.Second), Took: time.Duration(1+i%2) * time.Second, Claim: i%2 == 1})
	}
	for i := range 120 {
		memory, files := use(i)
		m.Samples = append(m.Samples, Sample{Node: "n", Seconds: float64(5 * i), Process: 1, ProcessUse: spec.ProcessUse{Memory: memory << 20, FileDescriptors: files}})
	}
	return m
}

func steady(i int) (uint64, int) { return 30 + uint64(i%3), 12 + i%4 }

func TestResults(t *testing.T) {
	m := measured(steady)
	failed := call(3, spec.Prepare, time.Hour, "b")
	failed.Error = "Unavailable"
	m.Calls["n"] = append(m.Calls["n"], failed)
	m.SliceWrites = 2
	r := m.Results()
	got := map[string]float64{}
	for _, c := range r.Costs {
		got[c.Name] = c.Value
	}
	for name, want := range map[string]float64{
		spec.PrepareP50: 0.014, spec.PrepareP99: 0.019, spec.UnprepareP99: 0.001, podStartP50: 2, spec.PodStart: 1, spec.PodStartWithout: 1,
		spec.SliceWritesPerHour: 12, spec.DriverMemory: 32 << 20, spec.DriverFiles: 15,
	} {
		if got[name] < want*0.999 || got[name] > want*1.001 {
			t.Errorf("%s is %g, want %g", name, got[name], want)
		}
	}
	if r.FailedCalls != 1 || len(r.Windows) != windows || r.Windows[59].Prepare.Count != 10 || r.Windows[59].Prepare.P50 != 0.019 {
		t.Errorf("%d failed calls, %d windows, the last is %+v", r.FailedCalls, len(r.Windows), r.Windows[len(r.Windows)-1])
	}
	if g := r.Growth[0]; g.String() != "prepare p50 from 11ms to 18ms in 10m0s" {
		t.Errorf("got %s", g)
	}
	if found := r.Judge(nil); len(found) > 0 {
		t.Errorf("found %v", found)
	}
}

// A driver that opens a file for each claim was certified: life/costs has twelve pods.
func TestLeaks(t *testing.T) {
	for name, tc := range map[string]struct {
		use  func(i int) (uint64, int)
		want string
	}{
		"none":                  {steady, ""},
		"files":                 {func(i int) (uint64, int) { return 30, 12 + i/2 + i%4 }, "files-leaked: the driver's process 1: file descriptors on node n from 12 to 58 in 9m55s (278.3 per hour)"},
		"files of a pool":       {func(i int) (uint64, int) { return 30, 12 + min(i, 20) }, ""},
		"memory":                {func(i int) (uint64, int) { return 30 + uint64(i/6), 12 }, "memory-grows: the driver's process 1: memory on node n from 30.0 MiB to 45.0 MiB in 9m55s (90.8 MiB per hour)"},
		"memory, until it ends": {func(i int) (uint64, int) { return min(60, 30+uint64(i)), 12 }, ""},
	} {
		r := measured(tc.use).Results()
		var found []string
		for _, v := range r.Judge(nil) {
			found = append(found, v.String())
		}
		if got := strings.Join(found, "\n"); got != tc.want {
			t.Errorf("%s: got %s, want %s", name, got, tc.want)
		}
	}
}

// The files of a killed process do not count against the next one.
func TestEachProcessIsJudgedAlone(t *testing.T) {
	m := measured(func(i int) (uint64, int) { return 30, 12 + i/30*10 })
	for i := range m.Samples {
		m.Samples[i].Process = 1 + i/30
	}
	r := m.Results()
	if found := r.Judge(nil); len(found) > 0 || len(r.Growth) != 3+2*4 {
		t.Errorf("found %v in %v", found, r.Growth)
	}
}

func TestBudget(t *testing.T) {
	limits := map[string]float64{spec.PrepareP50: 0.01, spec.PrepareP99: 1, spec.DriverFiles: 14, spec.SliceWritesPerHour: 0}
	m := measured(steady)
	m.SliceWrites = 3
	for _, faults := range [][]Moment{nil, {{Seconds: 60, What: "kubelet", Node: "n"}}} {
		r := m.Results()
		r.Faults = faults
		var rules []string
		for _, v := range r.Judge(limits) {
			if v.Rule != audit.OverBudget {
				t.Errorf("found %s", v)
			}
			rules = append(rules, v.Subject)
		}
		want := "prepare p50, slice writes per hour, file descriptors"
		if len(faults) > 0 { // a kubelet deletes the slices of its node
			want = "prepare p50, file descriptors"
		}
		if got := strings.Join(rules, ", "); got != want {
			t.Errorf("with faults %v: exceeded are %s, want %s", faults, got, want)
		}
	}
}

func TestNothingMeasured(t *testing.T) {
	r := Measured{Began: began}.Results()
	if found := r.Judge(map[string]float64{spec.PrepareP50: 1}); len(found) > 0 || len(r.Windows) > 0 {
		t.Errorf("got %+v, %v", r, found)
	}
	var page bytes.Buffer
	if err := Page(&page, Report{Results: r, Verdict: schema.Incomplete}); err != nil || !strings.Contains(page.String(), "Nothing was measured") {
		t.Errorf("%v\n%s", err, page.String())
	}
	if _, err := json.Marshal(r); err != nil {
		t.Error(err)
	}
}

func TestPage(t *testing.T) {
	r := measured(steady).Results()
	r.Driver, r.Nodes, r.Faults = "gpu.<example>", []string{"n"}, []Moment{{Seconds: 100, What: "driver", Node: "n"}}
	found := r.Judge(map[string]float64{spec.PrepareP50: 0.012, spec.DriverMemory: 1 << 40})
	var out bytes.Buffer
	err := Page(&out, Report{Results: r, Verdict: schema.Failed, Kubernetes: "v1.37.1", Started: began, Violations: []string{found[0].String()}})
	page := out.String()
	for _, want := range []string{
		"gpu.&lt;example&gt;", "over-budget: the driver costs more than declared under load, prepare p50: 14ms", "declared at most 12ms (dotted)",
		"memory: declared at most 1048576.0 MiB;", "vertical lines are kills", "<li>1m40s: driver of n</li>", "prepare p50</td><td></td><td class=\"number\">11ms",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	if n := strings.Count(page, "<svg"); err != nil || n != 5 || strings.Contains(page, "NaN") {
		t.Errorf("%d plots, %v", n, err)
	}
}
