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
	"testing"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/schema"
)

func TestProgramsThatCasesStartAreNotSwitched(t *testing.T) {
	for id, want := range map[string]bool{
		"scheduler-x": true, "controllers-x": true, "kubelet-x": true,
		"scheduler-classic-x": false, "classic-x": false, "fabric-x": false, "whatif-x": false,
	} {
		if got := (Mutant{Defect: spec.Defect{ID: id}}).OfCluster(); got != want {
			t.Errorf("%s: got %t", id, got)
		}
	}
}

func TestWhatACaseStartsSaysWhenItCrashes(t *testing.T) {
	m := Mutant{Defect: spec.Defect{ID: "whatif-x"}}
	for name, crash := range map[string]string{"it does not": "", "it does": "panic: assignment to entry in nil map"} {
		_, crashed, err := told(m, func() (schema.Report, error) {
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
