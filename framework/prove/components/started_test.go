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

package components

import (
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/schema"
)

func TestProgramsThatCasesStartAreNotSwitched(t *testing.T) {
	all, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	got := map[bool]map[string]bool{true: {}, false: {}}
	for _, m := range all {
		got[m.OfCompanion][m.Component()] = true
	}
	if diff := cmp.Diff(map[string]bool{"scheduler": true, "controllers": true, "kubelet": true}, got[false]); diff != "" {
		t.Errorf("components of the cluster: %s", diff)
	}
	if !got[true]["scheduler"] || got[true]["controllers"] || got[true]["kubelet"] || !got[true]["whatif"] || !got[true]["fabric"] {
		t.Errorf("components of companions: %v", got[true])
	}
	if c := Components(all); !slices.Equal(c[:3], ofCluster()) || len(c) != len(slices.Compact(slices.Sorted(slices.Values(c)))) {
		t.Errorf("components: %q", c)
	}
}

func TestWhatACaseStartsSaysWhenItCrashes(t *testing.T) {
	m := Mutant{Defect: spec.Defect{ID: "whatif-x"}, OfCompanion: true}
	for name, crash := range map[string]string{"it does not": "", "it does": "panic: assignment to entry in nil map"} {
		_, crashed, err := runWithMutant(m, func() (schema.Report, error) {
			if got := os.Getenv(variable); got != m.ID {
				t.Errorf("%s: it is told %q", name, got)
			}
			return schema.Report{}, os.WriteFile(os.Getenv(crashVariable), []byte(crash), 0o600)
		})
		if err != nil || crashed != (crash != "") || os.Getenv(variable) != "" {
			t.Errorf("%s: got %t, %v, and %q afterwards", name, crashed, err, os.Getenv(variable))
		}
	}
}
