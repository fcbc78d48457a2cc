package harness

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestEventsAreToldInOrder(t *testing.T) {
	noon := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	f := newFake(t, event("b", "Second", "two", noon.Add(time.Second)), event("a", "First", "one", noon))
	if diff := cmp.Diff([]string{"First: one", "Second: two"}, f.Events("pod")); diff != "" {
		t.Error(diff)
	}
}
