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
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/framework/audit"
)

// A passed soak left 62 files named violation-…-unknown-device.yaml.
func TestWarningsOfARuleAreOneFile(t *testing.T) {
	l, reported := newFindings(t)
	for i := range 62 {
		l.add([]audit.Violation{{
			Rule: audit.UnknownDevice, Subject: fmt.Sprint("device-", i), Text: fmt.Sprintf("device-%d is in no slice", i),
			Evidence: []audit.Object{claimWith(fmt.Sprint("c", i), "1", "x")},
		}})
	}
	l.add([]audit.Violation{{Rule: audit.PodStuck, Subject: "p", Text: "pod p is stuck"}})
	files, err := os.ReadDir(l.dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, file := range files {
		names = append(names, file.Name())
	}
	if got, want := strings.Join(names, " "), "violation-001-pod-stuck.yaml warning-unknown-device.yaml"; got != want {
		t.Fatalf("files are %s, want %s", got, want)
	}
	if len(l.list) != 2 || l.list[0].Count != 62 || !l.list[0].Warning || l.list[0].Text != "device-0 is in no slice" || l.violations() != 1 {
		t.Errorf("found %+v", l.list)
	}
	if len(*reported) != 63 {
		t.Errorf("%d were told, want each", len(*reported))
	}
	data, err := os.ReadFile(filepath.Join(l.dir, "warning-unknown-device.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"# 62 warnings of the rule unknown-device", "device-0 is in no slice", "device-49 is in no slice", "name: c0\n"} {
		if !strings.Contains(string(data), want) {
			t.Errorf("no %q in\n%s", want, data)
		}
	}
	for _, not := range []string{"device-50 ", "name: c1\n"} {
		if strings.Contains(string(data), not) {
			t.Errorf("%q in\n%s", not, data)
		}
	}
	if err := os.WriteFile(filepath.Join(l.dir, "driver-a.log"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Clean(l.dir, []string{"driver-*.log"}); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(l.dir); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}
