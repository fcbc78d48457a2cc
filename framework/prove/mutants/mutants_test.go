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

package mutants

import (
	"testing"

	"github.com/dra-conformance/dratest/framework/run"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/suites"
)

func TestEachMutantIsATrialThatCasesMustNotice(t *testing.T) {
	set, err := Load(run.Metas(suites.All()))
	p := set.Proof
	if err != nil || len(p.Trials) != len(spec.Mutants())+len(set.Components)+len(set.API) || len(set.Components) < 60 {
		t.Fatalf("got %d trials, %v", len(p.Trials), err)
	}
	if without := len(suites.All()) - len(p.Observers); without > 5 {
		t.Errorf("%d cases say that they have no mutant (NoMutant): at most five may", without)
	}
	for _, trial := range p.Trials {
		if len(trial.Must) == 0 || trial.What == "" {
			t.Errorf("trial %+v", trial)
		}
	}
}
