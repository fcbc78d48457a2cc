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

package spec

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// gatesFile is the table for a test in another module.
const gatesFile = "testdata/gates.txt"

var rewrite = flag.Bool("rewrite", false, "write "+gatesFile)

func TestGatesFileIsTheTable(t *testing.T) {
	var lines []string
	for _, gate := range slices.Sorted(maps.Keys(stages)) {
		for _, s := range stages[gate] {
			lines = append(lines, fmt.Sprintf("%s 1.%d on=%t locked=%t\n", gate, s.Since, s.On, s.Locked))
		}
	}
	want := strings.Join(lines, "")
	if *rewrite {
		if err := os.WriteFile(gatesFile, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(gatesFile)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is not the table of gatestage.go: run this test with -rewrite, then the one that compares it with Kubernetes' (go -C implementation test ./cmd/...)", gatesFile)
	}
}

func TestStagesAreInOrder(t *testing.T) {
	for gate, list := range stages {
		for i, s := range list[1:] {
			if s.Since <= list[i].Since || s == list[i] {
				t.Errorf("%s: stage %+v follows %+v", gate, s, list[i])
			}
		}
	}
}

func TestStage(t *testing.T) {
	for _, tc := range []struct {
		gate    Feature
		minor   uint
		want    Stage
		known   bool
		removed bool
	}{
		{DeviceTaintRules, 34, Stage{}, false, false},
		{DeviceTaintRules, 36, Stage{Since: 35}, true, false},
		{DeviceTaintRules, 40, Stage{Since: 38, On: true, Locked: true}, true, false},
		{DeviceTaintRules, 41, Stage{Since: 38, On: true, Locked: true}, true, true},
		// Available in v1.36 and locked in v1.37: it stays until v1.39.
		{PrioritizedList, 39, Stage{Since: 37, On: true, Locked: true}, true, false},
		{PrioritizedList, 40, Stage{Since: 37, On: true, Locked: true}, true, true},
		{ConsumableCapacity, 50, Stage{Since: 36, On: true}, true, false},
		{"Other", 50, Stage{}, false, false},
	} {
		got, known := tc.gate.Stage(tc.minor)
		if got != tc.want || known != tc.known || tc.gate.GateRemoved(tc.minor) != tc.removed {
			t.Errorf("%s in v1.%d: got %+v, %t, removed %t", tc.gate, tc.minor, got, known, tc.gate.GateRemoved(tc.minor))
		}
	}
}
