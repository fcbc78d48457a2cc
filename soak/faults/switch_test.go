package faults

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/soak"
)

type switcher struct {
	did []string
	err error
}

func (s *switcher) Switch(_ context.Context, name string, to clusters.Stack) ([]clusters.Switched, error) {
	s.did = append(s.did, name+" "+string(to.Scheduler))
	return nil, s.err
}

func TestBackAndForth(t *testing.T) {
	var s switcher
	for _, fault := range BackAndForth(&s, "", 3) {
		if err := fault.Do(t.Context(), soak.Target{Cluster: "c"}); err != nil {
			t.Fatal(err)
		}
	}
	if d := cmp.Diff([]string{"c own", "c stock", "c own"}, s.did); d != "" {
		t.Error(d)
	}
}

func TestSwitchFails(t *testing.T) {
	broken := errors.New("broken")
	fault := BackAndForth(&switcher{err: broken}, clusters.Own, 1)[0]
	if err := fault.Do(t.Context(), soak.Target{Cluster: "c"}); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	if err := fault.Do(t.Context(), soak.Target{}); err == nil || errors.Is(err, broken) {
		t.Errorf("a cluster of somebody else: %v", err)
	}
}
