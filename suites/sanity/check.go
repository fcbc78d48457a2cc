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

// Check is one requirement for drivers.
type Check struct {
	spec.Meta

	// Source is the document with the promise, or the bug of a published driver.
	Source string
	// Once marks checks independent of the plugin API version.
	Once bool
	Run  func(t *T)
}

// T is the context of a check for one version of the plugin API. Its methods end the check on
// unexpected errors, so they must be called by the check's own goroutine.
type T struct {
	*world

	ctx     context.Context // derived from the run's, limited to the check
	timer   *time.Timer     // cancels ctx
	version spec.GRPCVersion
	// made are claims to unprepare and delete at the end of the check.
	made []*resourceapi.ResourceClaim
	// used are the devices allocated to claims.
	used    []Device
	verdict verdict
}

// verdict is the result of a check for one version.
type verdict struct {
	status spec.Status
	text   string
}

// Failf fails the check: the driver violates a requirement.
func (t *T) Failf(format string, args ...any) { t.end(spec.Failed, format, args...) }

// NotApplicablef ends the check for lack of a prerequisite.
func (t *T) NotApplicablef(format string, args ...any) {
	t.end(spec.NotApplicable, format, args...)
}

// Blockedf ends the check because of an error outside the driver.
func (t *T) Blockedf(format string, args ...any) { t.end(spec.Blocked, format, args...) }

// Notef sets the message of a passing check.
func (t *T) Notef(format string, args ...any) { t.verdict.text = fmt.Sprintf(format, args...) }

// end ends the check. A failure after the check's timeout is not the driver's fault: none of its
// own calls timed out.
func (t *T) end(status spec.Status, format string, args ...any) {
	t.verdict = verdict{status, fmt.Sprintf(format, args...)}
	if status == spec.Failed && t.ctx.Err() != nil {
		t.verdict = verdict{spec.Blocked, fmt.Sprintf("the check has not come to its end, %v (%s)", context.Cause(t.ctx), t.verdict.text)}
	}
	runtime.Goexit()
}

// need blocks the check if the cluster or node returned an error.
func (t *T) need(err error, what string) {
	if err != nil {
		t.Blockedf("%s: %v", what, err)
	}
}

// expect fails the check if there are problems.
func (t *T) expect(problems []string, when string) {
	if len(problems) > 0 {
		t.Failf("%s: %s", when, strings.Join(problems, "; "))
	}
}

// do runs a check in its own goroutine, so it can be ended anywhere.
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
