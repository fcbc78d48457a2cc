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
	if without := len(suites.All()) - len(p.Watchers); without > 5 {
		t.Errorf("%d cases say that they have no mutant (NoMutant): at most five may", without)
	}
	for _, trial := range p.Trials {
		if len(trial.Must) == 0 || trial.What == "" {
			t.Errorf("trial %+v", trial)
		}
	}
}
