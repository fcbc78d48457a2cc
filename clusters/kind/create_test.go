package kind

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Kind lets a node start again only once by itself.
func TestNodesOfACompleteClusterAreStartedAgain(t *testing.T) {
	p, e, _, _ := setup(t)
	e.add("x", true, time.Now(), "x-control-plane", "x-worker")
	e.add("y", true, time.Now(), "y-control-plane")
	s, err := p.parts()
	if err != nil {
		t.Fatal(err)
	}
	r := record{Name: "x", Version: "v1"}
	if err := s.adopt(t.Context(), &r); err != nil {
		t.Fatal(err)
	}
	want := []string{"x-control-plane", "x-worker"}
	if d := cmp.Diff(want, e.revived); d != "" {
		t.Error(d)
	}
	if saved, err := s.store.mustLoad("x"); err != nil || !cmp.Equal(want, saved.Containers) {
		t.Errorf("remembered %q, %v", saved.Containers, err)
	}
}
