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
	"fmt"
	"os"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/component-base/featuregate"
	_ "k8s.io/kubernetes/pkg/features" // registers the gates

	utilfeature "k8s.io/apiserver/pkg/util/feature"
)

// gatesFile is the framework's table of feature gates. The framework's module must not require
// Kubernetes.
const gatesFile = "../../../framework/spec/testdata/gates.txt"

// Two tables of feature gate changes disagreed, and neither was compared with Kubernetes'.
func TestGateStagesAreThoseOfKubernetes(t *testing.T) {
	data, err := os.ReadFile(gatesFile)
	if err != nil {
		t.Fatal(err)
	}
	ours := map[string][]string{}
	for line := range strings.Lines(string(data)) {
		gate, stage, _ := strings.Cut(strings.TrimSpace(line), " ")
		ours[gate] = append(ours[gate], stage)
	}
	if len(ours) == 0 {
		t.Fatalf("%s has no gates", gatesFile)
	}
	now := utilfeature.DefaultMutableFeatureGate.EmulationVersion()
	all := utilfeature.DefaultMutableFeatureGate.GetAllVersioned()
	for gate, stages := range ours {
		var want []string
		before := featuregate.FeatureSpec{}
		for _, s := range all[featuregate.Feature(gate)] {
			if s.MinCompatibilityVersion != nil {
				continue // dratest's clusters do not set --min-compatibility-version.
			}
			if len(want) > 0 && s.Default == before.Default && s.LockToDefault == before.LockToDefault {
				continue // Only the label has changed.
			}
			before = s
			want = append(want, fmt.Sprintf("%d.%d on=%t locked=%t", s.Version.Major(), s.Version.Minor(), s.Default, s.LockToDefault))
		}
		if got := upTo(t, now, stages); strings.Join(got, "; ") != strings.Join(want, "; ") {
			t.Errorf("%s: the framework has %q, Kubernetes %s has %q", gate, got, now, want)
		}
	}
}

// upTo removes changes announced for later versions.
func upTo(t *testing.T, now *version.Version, stages []string) []string {
	t.Helper()
	var past []string
	for _, stage := range stages {
		since, _, _ := strings.Cut(stage, " ")
		v, err := version.Parse(since)
		if err != nil {
			t.Fatal(err)
		}
		if !v.GreaterThan(now) {
			past = append(past, stage)
		}
	}
	return past
}
