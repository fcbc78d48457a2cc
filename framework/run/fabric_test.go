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

package run_test

import (
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/fabric"
	"github.com/dra-conformance/dratest/framework/run"
	"github.com/dra-conformance/dratest/framework/spec"
)

// The released program and the Job run in a directory without a checkout.
func TestRunWithoutTheControllerOfFabrics(t *testing.T) {
	noFilesLeft(t)
	kubeconfig, _ := apiServer(t)
	o, _ := options(t, kubeconfig, "^fake/passes ", "^fake/fabric ")
	p := parts()
	p.Cases = append(p.Cases, harness.Case{Meta: spec.Meta{ID: "fake/fabric", Checks: "It does.",
		Requires: []spec.RequirementID{"kep-5007/x"}, Needs: spec.Needs{Companions: []spec.Companion{fabric.Companion}, NoKubelet: true}}})
	t.Chdir(t.TempDir())
	report, err := run.Run(t.Context(), p, o)
	if err != nil {
		t.Fatal(err)
	}
	got := statuses(report)
	if why := reason(report, "fake/fabric"); got["fake/fabric"] == spec.Passed || !strings.Contains(why, "put the program there") {
		t.Errorf("fake/fabric: %s: %s", got["fake/fabric"], why)
	}
	if got["fake/passes"] != spec.Passed {
		t.Errorf("fake/passes: %s", got["fake/passes"])
	}
	if len(report.Cases) != 2 {
		t.Errorf("cases %v", got)
	}
}
