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

	corev1 "k8s.io/api/core/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/whatif"
	"github.com/dra-conformance/dratest/framework/run"
	"github.com/dra-conformance/dratest/framework/spec"
)

// whatIfParts has one more case, using dra-whatif.
func whatIfParts() run.Parts {
	p := parts()
	p.Cases = append(p.Cases, harness.Case{Meta: spec.Meta{ID: "fake/what-if", Checks: "It does.",
		Requires: []spec.RequirementID{"kep-4381/x"}, Needs: spec.Needs{Companions: []spec.Companion{whatif.Companion}, NoKubelet: true}}})
	return p
}

// On a cluster with kubelets nodes are not simulated: they would not stay ready.
func TestRunWithoutSimulatedNodes(t *testing.T) {
	noFilesLeft(t)
	kubeconfig, _ := apiServer(t)
	o, _ := options(t, kubeconfig, "^fake/passes ", "^fake/what-if ")
	report, err := run.Run(t.Context(), whatIfParts(), o)
	if err != nil {
		t.Fatal(err)
	}
	got := statuses(report)
	if why := reason(report, "fake/what-if"); got["fake/what-if"] != spec.NotApplicable || !strings.Contains(why, "adds simulated nodes, and the cluster has none") {
		t.Errorf("fake/what-if: %s: %s", got["fake/what-if"], why)
	}
	if got["fake/passes"] != spec.Passed {
		t.Errorf("fake/passes: %s", got["fake/passes"])
	}
}

// Foreign pods could land on the nodes added by such cases.
func TestWhatIfInAClusterOfOthersNeedsLeave(t *testing.T) {
	noFilesLeft(t)
	kubeconfig, _ := apiServerThat(t, true, func(n *corev1.Node) { n.Annotations = map[string]string{"kwok.x-k8s.io/node": "fake"} })
	o, _ := options(t, kubeconfig, "^fake/what-if ")
	report, err := run.Run(t.Context(), whatIfParts(), o)
	if err != nil {
		t.Fatal(err)
	}
	got := statuses(report)
	if why := reason(report, "fake/what-if"); got["fake/what-if"] != spec.NotApplicable || !strings.Contains(why, "--disruptive") {
		t.Errorf("fake/what-if: %s: %s", got["fake/what-if"], why)
	}
}
