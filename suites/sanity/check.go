package sanity

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"time"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/spec"
)

// Check is one thing that a driver has to do.
type Check struct {
	spec.Meta

	// Source says where the promise is told, or which bug of a published driver the
	// check is about.
	Source string
	// Once is for checks that are the same in all versions of the plugin API.
	Once bool
	Run  func(t *T)
}

// T is what a check works with, for one version of the plugin API. Its methods end the
// check when something goes wrong that the check did not ask for. They must be called by
// the check's own goroutine.
type T struct {
	*world

	ctx     context.Context // the run's, for the time of the check
	timer   *time.Timer     // ends ctx
	version spec.GRPCVersion
	// made are the claims that are unprepared and deleted when the check ends.
	made []*resourceapi.ResourceClaim
	// used are the devices that claims were allocated.
	used    []Device
	verdict verdict
}

// verdict is what a check says for one version.
type verdict struct {
	status spec.Status
	text   string
}

// Failf ends the check: the driver does not do what it has to.
func (t *T) Failf(format string, args ...any) { t.end(spec.Failed, format, args...) }

// NotApplicablef ends the check: it needs what is not there.
func (t *T) NotApplicablef(format string, args ...any) {
	t.end(spec.NotApplicable, format, args...)
}

// Blockedf ends the check: something else than the driver does not work.
func (t *T) Blockedf(format string, args ...any) { t.end(spec.Blocked, format, args...) }

// Notef says what a check that passes has seen.
func (t *T) Notef(format string, args ...any) { t.verdict.text = fmt.Sprintf(format, args...) }

// end ends the check. What fails because its time is over is not the driver's fault: no call
// of its own has taken too long.
func (t *T) end(status spec.Status, format string, args ...any) {
	t.verdict = verdict{status, fmt.Sprintf(format, args...)}
	if status == spec.Failed && t.ctx.Err() != nil {
		t.verdict = verdict{spec.Blocked, fmt.Sprintf("the check has not come to its end, %v (%s)", context.Cause(t.ctx), t.verdict.text)}
	}
	runtime.Goexit()
}

// need ends the check where the cluster or the node does not do what it is asked.
func (t *T) need(err error, what string) {
	if err != nil {
		t.Blockedf("%s: %v", what, err)
	}
}

// expect ends the check where there are problems.
func (t *T) expect(problems []string, when string) {
	if len(problems) > 0 {
		t.Failf("%s: %s", when, strings.Join(problems, "; "))
	}
}

// do runs a check in a goroutine of its own, so that it can be ended anywhere.
func (t *T) do(run func(t *T)) verdict {
	t.verdict = verdict{status: spec.Passed}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer t.cleanUp()
		run(t)
	}()
	<-done
	return t.verdict
}
