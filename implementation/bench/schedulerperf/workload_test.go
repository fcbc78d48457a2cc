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

package schedulerperf

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

const workloadFile = `
- name: Plain
  featureGates: {DynamicResourceAllocation: true}
  workloadTemplate:
  - opcode: createPods
    countParam: $measurePods
    duration: 10s
  workloads:
  - name: small
    params: {measurePods: 10, selectors: null}
  - name: large
    featureGates: {Alpha: true}
    params: {measurePods: 2500, steadyState: true}
- name: Scoring
  schedulerConfigPath: scheduler-config.yaml
  workloads:
  - name: small
`

// module makes a directory with the layout of the module k8s.io/kubernetes.
func module(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	dra := filepath.Join(dir, "test/integration/scheduler_perf/dra/area")
	if err := os.MkdirAll(dra, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dra, fileName), []byte(workloadFile), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestWorkloads(t *testing.T) {
	dir := module(t)
	for name, test := range map[string]struct {
		pattern, want, wantError string
	}{
		"all of a case":     {pattern: "^Plain/", want: "Plain/small Plain/large"},
		"one":               {pattern: "large", want: "Plain/large"},
		"none":              {pattern: "huge", wantError: "Plain/large"},
		"all":               {pattern: ".", want: "Plain/small Plain/large Scoring/small"},
		"not a pattern":     {pattern: "(", wantError: "pattern"},
		"defaults are gone": {wantError: defaultWorkloads()[0]},
	} {
		t.Run(name, func(t *testing.T) {
			workloads, err := Workloads(dir, test.pattern)
			if (err != nil) != (test.wantError != "") || err != nil && !strings.Contains(err.Error(), test.wantError) {
				t.Errorf("error %v, want %q", err, test.wantError)
			}
			if got := strings.Join(strings.Fields(names(workloads)), " "); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestDivide(t *testing.T) {
	workloads, err := Workloads(module(t), ".")
	if err != nil {
		t.Fatal(err)
	}
	unsupported := func(w Workload) error {
		if w.Gates["Alpha"] && w.Gates["DynamicResourceAllocation"] {
			return errors.Join(errors.New("no Alpha"), errors.New("nor Beta"))
		}
		return nil
	}
	rest, left, err := Divide(workloads, unsupported)
	if err != nil {
		t.Fatal(err)
	}
	if rest[0].Pods != 10 || workloads[1].Pods != 0 {
		t.Errorf("pods: %d, and of the steady one %d", rest[0].Pods, workloads[1].Pods)
	}
	if got := names(rest); got != "  Plain/small\n" {
		t.Errorf("kept %s", got)
	}
	if diff := cmp.Diff([]LeftOut{
		{"Plain/large", "no Alpha; nor Beta"},
		{"Scoring/small", "it has a scheduler configuration of its own, which ours would replace"},
	}, left); diff != "" {
		t.Error(diff)
	}
	if _, _, err := Divide(workloads[1:2], unsupported); err == nil || !strings.Contains(err.Error(), "no Alpha") {
		t.Errorf("none remains: %v", err)
	}
}

func TestWithConfigurationChangesNothingElse(t *testing.T) {
	changed, err := withConfiguration([]byte(workloadFile), "/own.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var before, after []map[string]any
	if err := yaml.Unmarshal([]byte(workloadFile), &before); err != nil {
		t.Fatal(err)
	}
	if err := yaml.UnmarshalStrict(changed, &after); err != nil {
		t.Fatal(err)
	}
	before[0]["schedulerConfigPath"] = "/own.yaml"
	if diff := cmp.Diff(before, after); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(string(changed), "measurePods: 2500\n") {
		t.Errorf("numbers changed:\n%s", changed)
	}
}
