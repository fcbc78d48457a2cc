package harness

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
)

// A case goes on when the API server refuses what it has to, for the reason that the case gave.
func TestRefuse(t *testing.T) {
	f := newFake(t)
	f.objects = newWorld()
	answers := []error{nil, errors.New("forbidden by somebody else"), errors.New("denied request: the case refuses CREATE of pods/binding")}
	tried := 0
	var r *Refusal
	succeeds(t, f, func() {
		r = f.Refuse(admissionv1.Create, "", "pods/binding", "false", func(context.Context) error {
			tried++
			return answers[min(tried, len(answers))-1]
		})
	})
	if tried != 3 || r.binding.Spec.PolicyName != r.binding.Name {
		t.Errorf("tried %d times, binding %v", tried, r.binding)
	}
}

// An event that is told again is one object with a count.
func TestWaitEventTimes(t *testing.T) {
	twice := event("a", "Failed", "no coffee", time.Now())
	twice.Count = 2
	f := newFake(t, twice, event("b", "Failed", "no tea", time.Now()))
	succeeds(t, f, func() { f.WaitEventTimes("pod", "Failed", "no", 3) })
	failed := failureOf(func() { f.WaitEventTimes("pod", "Failed", "no coffee", 3) })
	if failed == nil || !strings.Contains(failed.message, `"no coffee", 3 times`) {
		t.Errorf("got %v", failed)
	}
}
