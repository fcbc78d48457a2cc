package spec_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dra-conformance/dratest/framework/spec"
)

// Companions are fields of their own, as all other needs are.
func TestCompanionsAreFields(t *testing.T) {
	for want, needs := range map[string]spec.Needs{
		`{}`: {},
		`{"noKubelet":true,"classic":true,"whatIf":true}`: {NoKubelet: true, Companions: []spec.Companion{"classic", "whatIf"}},
		`{"composable":true}`:                             {Companions: []spec.Companion{"composable"}},
	} {
		data, err := json.Marshal(needs)
		if err != nil || string(data) != want {
			t.Errorf("got %s, %v, want %s", data, err, want)
		}
		var again spec.Needs
		if err := json.Unmarshal(data, &again); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(needs, again); diff != "" {
			t.Errorf("%s: %s", want, diff)
		}
	}
}

func TestFieldsThatAreFalseAreNoCompanions(t *testing.T) {
	var needs spec.Needs
	if err := json.Unmarshal([]byte(`{"noNode":false,"alone":true,"x":false}`), &needs); err != nil || !needs.Alone || len(needs.Companions) > 0 {
		t.Errorf("got %+v, %v", needs, err)
	}
}
