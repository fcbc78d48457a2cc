package spec_test

import (
	"testing"

	"github.com/dra-conformance/dratest/framework/spec"
)

func TestNeedsCase(t *testing.T) {
	for name, row := range map[string]struct {
		r    spec.Requirement
		want bool
	}{
		"must":           {spec.Requirement{Level: spec.Must}, true},
		"should":         {spec.Requirement{Level: spec.Should}, false},
		"may":            {spec.Requirement{Level: spec.May}, false},
		"not observable": {spec.Requirement{Level: spec.Must, NotObservable: "x.go:1"}, false},
		"classic":        {spec.Requirement{Level: spec.Must, Area: spec.ClassicArea}, false},
	} {
		if got := row.r.NeedsCase(); got != row.want {
			t.Errorf("%s: got %v, want %v", name, got, row.want)
		}
	}
}
