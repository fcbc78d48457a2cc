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
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/clusters/host"
)

func TestPrintRows(t *testing.T) {
	ok := host.Row{Name: "root", State: host.OK, Found: "yes"}
	fixable := host.Row{Name: "engine", State: host.Missing, Found: "none", Advice: "install it", Fixable: true}
	manual := host.Row{Name: "memory", State: host.Missing, Found: "1 GiB", Advice: "add some"}
	warning := host.Row{Name: "go", State: host.Warning, Found: "none"}
	tests := []struct {
		name   string
		rows   []host.Row
		output string
		want   []string
	}{
		{"all is there", []host.Row{ok, warning}, "table", []string{"root  ok ", "\n\nThis machine can run clusters."}},
		{"fixable", []host.Row{ok, fixable}, "table", []string{"engine  missing  none\n", "-> install it\n", "dratest doctor --fix"}},
		{"not all fixable", []host.Row{fixable, manual}, "table", []string{"follow the advice"}},
		{"JSON", []host.Row{fixable}, "json", []string{`"state": "missing"`, `"fixable": true`}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var out bytes.Buffer
			if err := printRows(&out, test.rows, test.output, nextStep(test.rows)); err != nil {
				t.Fatal(err)
			}
			for _, want := range test.want {
				if !strings.Contains(out.String(), want) {
					t.Errorf("no %q in:\n%s", want, out.String())
				}
			}
		})
	}
}

func TestDoctorRefuses(t *testing.T) {
	for _, args := range []string{"-o xml", "--kubeconfig x --fix", "--context x", "--image-registry mirror.example.com", "--kubeconfig /missing", "--kubeconfig="} {
		cmd := newRootCommand()
		cmd.SetArgs(append([]string{"doctor"}, strings.Fields(args)...))
		if err := cmd.Execute(); exitCode(err) != codeUsage {
			t.Errorf("%s: exit code %d (%v), want %d", args, exitCode(err), err, codeUsage)
		}
	}
}
