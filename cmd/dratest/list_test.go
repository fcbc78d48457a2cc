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

package main

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mattn/go-runewidth"
	"sigs.k8s.io/yaml"

	"github.com/dra-conformance/dratest/framework/run"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/suites/catalogue"
	"github.com/dra-conformance/dratest/suites/sanity"
	"github.com/dra-conformance/dratest/upgrade/cases"
)

func twoCases() caseList {
	return listCases([]spec.Meta{
		{ID: "core/a", Checks: "It holds.", Requires: []spec.RequirementID{"kep-1/x", "kep-1/y"}},
		{ID: "node/much-longer", Checks: strings.Repeat("A sentence that does not end soon, ", 5) + "as it seems.",
			Needs: spec.Needs{Features: []spec.Feature{spec.DeviceTaints}, Nodes: 2, Disruption: true}, SerialBecause: "it restarts the kubelet"},
	})
}

func TestListForPeople(t *testing.T) {
	for format, want := range map[string]string{
		"": `ID                LABELS             CHECKS
core/a            Conformance,KEP-1  It holds.
node/much-longer  Serial,Disruptive  A sentence that does not end soon, A sentence that does not end soon, A sentence t…
`,
		"wide": `ID                LABELS                                          NEEDS                                 REQUIRES         CHECKS
core/a            core,Conformance,KEP-1                          -                                     kep-1/x,kep-1/y  It holds.
node/much-longer  node,Feature:DRADeviceTaints,Serial,Disruptive  DRADeviceTaints,--disruptive,2 nodes  -                ` +
			strings.Repeat("A sentence that does not end soon, ", 5) + "as it seems.\n",
	} {
		var out bytes.Buffer
		if err := printList(&out, format, twoCases()); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, out.String()); d != "" {
			t.Errorf("format %q: %s", format, d)
		}
	}
}

// Default tables must fit their width for any future case.
func TestListsFitTheirWidth(t *testing.T) {
	for _, args := range [][]string{{"list"}, {"list", "--upgrade"}, {"list", "--mutants"}} {
		out, code := execute(t, args...)
		lines := strings.Split(out, "\n")
		if code != 0 || len(lines) < 5 {
			t.Fatalf("%v: exit code %d\n%s", args, code, out)
		}
		for _, line := range lines {
			if n := runewidth.StringWidth(line); n > tableWidth {
				t.Errorf("%v: %d columns: %s", args, n, line)
			}
		}
	}
}

func TestListAsMarkdown(t *testing.T) {
	broken, err := catalogue.LoadMutants()
	if err != nil {
		t.Fatal(err)
	}
	var mutants []string
	for _, m := range broken.Components {
		mutants = append(mutants, "| `"+m.ID+"` |")
	}
	var ids []string
	for _, m := range slices.Concat(run.Metas(parts().Cases), cases.Metas(), sanity.Metas()) {
		ids = append(ids, "\n### "+m.ID+"\n")
	}
	for _, tc := range []struct {
		args string
		want []string
	}{
		{"list -o markdown", ids},
		{"list -o markdown --mutants", mutants},
		{"list -o markdown --focus one-device", []string{"\n### core/one-device\n", "- `kep-4381/", "\n- detects: `"}},
	} {
		out, code := execute(t, strings.Fields(tc.args)...)
		if code != 0 {
			t.Errorf("%s: exit code %d\n%s", tc.args, code, out)
		}
		for _, want := range tc.want {
			if !strings.Contains(out, want) {
				t.Errorf("%s lacks %q", tc.args, want)
			}
		}
	}
}

func TestListForMachines(t *testing.T) {
	for _, tc := range []struct{ args, field string }{{"list", "cases"}, {"list --upgrade", "cases"}, {"list --mutants", "mutants"}} {
		for _, format := range []string{"json", "yaml"} {
			out, code := execute(t, append(strings.Fields(tc.args), "-o", format)...)
			data := []byte(out)
			if format == "yaml" {
				converted, err := yaml.YAMLToJSON(data)
				if err != nil {
					t.Fatal(err)
				}
				data = converted
			}
			var list struct {
				SchemaVersion  string
				Cases, Mutants []struct{ ID string }
			}
			err := json.Unmarshal(data, &list)
			all := slices.Concat(list.Cases, list.Mutants)
			if err != nil || code != 0 || list.SchemaVersion != listVersion || len(all) == 0 || all[0].ID == "" || !strings.Contains(out, tc.field) {
				t.Errorf("%s as %s: exit code %d, %v: version %q, %d entries", tc.args, format, code, err, list.SchemaVersion, len(all))
			}
		}
	}
}

// "dratest list" printed an empty table with exit code 0 for a filter without matches.
func TestListOfOneAndOfNoCase(t *testing.T) {
	if out, code := execute(t, "list", "--focus", "^core/one-device$"); code != 0 || strings.Count(out, "core/") != 1 {
		t.Errorf("exit code %d: %s", code, out)
	}
	for _, format := range []string{"", "json", "markdown"} {
		if out, code := execute(t, "list", "--focus", "nothing matches", "-o", format); code != codeUsage || !strings.Contains(out, "none of the") {
			t.Errorf("exit code %d: %s", code, out)
		}
	}
}
