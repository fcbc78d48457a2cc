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

package soak

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dra-conformance/dratest/framework/soak/load"
	"github.com/dra-conformance/dratest/reports/schema"
)

func TestCount(t *testing.T) {
	began := time.Unix(0, 0)
	var lives []podTimes
	for i := range 100 {
		lives = append(lives, podTimes{kind: load.Capacity, made: began, scheduled: began.Add(time.Duration(i+1) * time.Second)})
	}
	lives[0].started = began.Add(1234 * time.Millisecond)
	got := count(append(lives, podTimes{kind: load.TwoPods}), []load.Kind{{Name: load.Capacity}, {Name: load.TwoPods}})
	want := []KindCount{
		{Kind: load.Capacity, Pods: 100, Started: 1, Bound50: 50, Bound99: 99, Start50: 1.23, Start99: 1.23},
		{Kind: load.TwoPods, Pods: 1},
	}
	if got[0] != want[0] || got[1] != want[1] {
		t.Errorf("got %+v", got)
	}
}

func TestSummaryForPeopleAndMachines(t *testing.T) {
	s := Summary{
		SchemaVersion: schemaVersion, Verdict: schema.Failed, Kubernetes: "v1.37.1", Seed: 7, Seconds: 20, Pods: 30, PodsPerSecond: 1.5, States: 400, MissedStates: 2, Reads: 9,
		Kinds:    []KindCount{{Kind: load.Capacity, Pods: 30, Started: 20, Bound50: 0.5, Bound99: 2, Start50: 3, Start99: 12.25}},
		Faults:   []FaultCount{{Name: "kill scheduler", Done: 2, Failed: 1}},
		Findings: []Finding{{Rule: "pod-stuck", Text: "pod ns/p is not scheduled", Evidence: "violation-001-pod-stuck.yaml"}, {Rule: "unused-allocation", Text: "x", Warning: true, Count: 62, Evidence: "warning-unused-allocation.yaml"}},
		Problems: []string{"the watch of pods broke"},
	}
	var out bytes.Buffer
	s.Print(&out, "dir")
	want := `
30 pods in 20s (1.50 per second) on Kubernetes v1.37.1, seed 7; audited 400 states of the claims, 9 reads of all objects

   PODS   STARTED   BOUND MEDIAN     P99   RUNNING MEDIAN      P99  KIND
     30        20          0.50s   2.00s            3.00s   12.25s  capacity

states of the claims may have been missed 2 times, while the API server was away
fault kill scheduler: 2 times, could not be done 1 times
violation pod-stuck: pod ns/p is not scheduled (violation-001-pod-stuck.yaml)
warning unused-allocation: 62 times, see warning-unused-allocation.yaml
problem: the watch of pods broke
Failed: 1 violations, details in dir/soak.json
`
	if out.String() != want {
		t.Errorf("got\n%s", out.String())
	}
	dir := t.TempDir()
	if err := s.write(dir); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, SummaryFile))
	var fields map[string]any
	if err != nil || json.Unmarshal(data, &fields) != nil || fields["verdict"] != "Failed" || fields["schemaVersion"] != "2" {
		t.Errorf("%v: %s", err, data)
	}
	if err := Clean(dir, nil); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

type seen struct {
	Looks int `json:"looks"`
}

func (s seen) String() string { return fmt.Sprintf("looked at %d times", s.Looks) }

// A companion's statistics are a field with its name, and a line for people.
func TestSummaryOfACompanion(t *testing.T) {
	var out strings.Builder
	s := Summary{Verdict: schema.Passed, Companion: "fabric", Seen: seen{7}}
	s.Print(&out, "dir")
	data, err := json.Marshal(s)
	if err != nil || !strings.Contains(string(data), `"fabric":{"looks":7}`) || !strings.Contains(string(data), `"verdict":"Passed"`) || !strings.Contains(out.String(), "\nlooked at 7 times\n") {
		t.Errorf("got %s, %v and\n%s", data, err, out.String())
	}
}
