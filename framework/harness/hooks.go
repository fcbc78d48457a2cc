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

package harness

import (
	"context"
	"errors"
	"sync"

	"github.com/dra-conformance/dratest/framework/spec"
)

// Hooks run at the end of a case. With them, the harness cleans up after faults and programs that
// it does not know.
type Hooks struct {
	mu       sync.Mutex
	passed   []func(ctx context.Context)
	restore  []func(ctx context.Context) error
	removed  []func(ctx context.Context) error
	cleanup  []func(ctx context.Context, kept bool) error
	evidence []func(ctx context.Context, e *Evidence)
	timeline []func(ctx context.Context) ([]spec.TimelineEntry, []string)
	// collect reads the sources of the timeline, and done writes it; nil without a timeline.
	collect func(ctx context.Context)
	done    func()
}

// add appends to a list. A case left behind may still call it.
func add[H any](h *Hooks, list *[]H, hook H) {
	h.mu.Lock()
	defer h.mu.Unlock()
	*list = append(*list, hook)
}

func all[H any](h *Hooks, list *[]H) []H {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]H(nil), *list...)
}

// OnPassed registers a check of an invariant of the whole case. It runs after Case.Run and may end
// the case.
func (h *Hooks) OnPassed(check func(ctx context.Context)) {
	add(h, &h.passed, check)
}

// OnRestore registers the end of a fault blocking the removal of the case's pods and
// claims. It runs before they are deleted.
func (h *Hooks) OnRestore(restore func(ctx context.Context) error) {
	add(h, &h.restore, restore)
}

// OnRemoved registers a wait for a consequence of the removal of the case's pods and claims. It
// runs once the pods are gone.
func (h *Hooks) OnRemoved(wait func(ctx context.Context) error) {
	add(h, &h.removed, wait)
}

// OnCleanup registers the end of a program. All programs end in parallel, after the objects are
// gone. If kept is true, pods of the case still exist and may need the program.
func (h *Hooks) OnCleanup(end func(ctx context.Context, kept bool) error) {
	add(h, &h.cleanup, end)
}

// AddEvidence registers a source of evidence for failures.
func (h *Hooks) AddEvidence(gather func(ctx context.Context, e *Evidence)) {
	add(h, &h.evidence, gather)
}

// AddTimeline registers a source of the timeline, read when the case has ended. It also returns
// what could not be read, and why.
func (h *Hooks) AddTimeline(read func(ctx context.Context) (entries []spec.TimelineEntry, missing []string)) {
	add(h, &h.timeline, read)
}

func (h *Hooks) runPassed(ctx context.Context) {
	for _, check := range all(h, &h.passed) {
		check(ctx)
	}
}

func (h *Hooks) runRestore(ctx context.Context) error {
	var errs []error
	for _, restore := range all(h, &h.restore) {
		errs = append(errs, restore(ctx))
	}
	return errors.Join(errs...)
}

func (h *Hooks) runRemoved(ctx context.Context) error {
	var errs []error
	for _, wait := range all(h, &h.removed) {
		errs = append(errs, wait(ctx))
	}
	return errors.Join(errs...)
}

func (h *Hooks) runCleanup(ctx context.Context, kept bool) error {
	hooks := all(h, &h.cleanup)
	errs := make([]error, len(hooks))
	var running sync.WaitGroup
	for i, end := range hooks {
		running.Go(func() { errs[i] = end(ctx, kept) })
	}
	running.Wait()
	return errors.Join(errs...)
}
