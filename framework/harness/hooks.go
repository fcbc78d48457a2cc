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

// hooks are what others do at the end of a case, so that the harness cleans up after faults and
// programs that it does not know.
type hooks struct {
	mu       sync.Mutex
	restore  []func(ctx context.Context) error
	removed  []func(ctx context.Context) error
	cleanup  []func(ctx context.Context, kept bool) error
	evidence []func(ctx context.Context, e *Evidence)
	timeline []func(ctx context.Context) ([]spec.TimelineEntry, []string)
	// collect reads the sources of the timeline, and done writes it; nil without one.
	collect func(ctx context.Context)
	done    func()
}

// add appends to one of the lists. A case that was left behind may still add to them.
func add[H any](h *hooks, list *[]H, hook H) {
	h.mu.Lock()
	defer h.mu.Unlock()
	*list = append(*list, hook)
}

func all[H any](h *hooks, list *[]H) []H {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]H(nil), *list...)
}

// OnRestore registers what ends faults that would keep the case's pods and claims from being
// removed. It runs before they are deleted.
func (t *T) OnRestore(restore func(ctx context.Context) error) {
	add(&t.hooks, &t.hooks.restore, restore)
}

// OnRemoved registers a wait for what has to follow the removal of the case's pods and claims. It
// runs once the pods are gone.
func (t *T) OnRemoved(wait func(ctx context.Context) error) {
	add(&t.hooks, &t.hooks.removed, wait)
}

// OnCleanup registers what ends programs of the case. All of them run at once, after the objects
// are gone. If kept is true, pods of the case still exist and may need the program.
func (t *T) OnCleanup(end func(ctx context.Context, kept bool) error) {
	add(&t.hooks, &t.hooks.cleanup, end)
}

// AddEvidence registers what adds files to the evidence of a failure.
func (t *T) AddEvidence(gather func(ctx context.Context, e *Evidence)) {
	add(&t.hooks, &t.hooks.evidence, gather)
}

// AddTimeline registers a source of the case's timeline, which is read when the case has ended. It
// also returns what could not be read, and why.
func (t *T) AddTimeline(read func(ctx context.Context) (entries []spec.TimelineEntry, missing []string)) {
	add(&t.hooks, &t.hooks.timeline, read)
}

func (h *hooks) runRestore(ctx context.Context) error {
	var errs []error
	for _, restore := range all(h, &h.restore) {
		errs = append(errs, restore(ctx))
	}
	return errors.Join(errs...)
}

func (h *hooks) runRemoved(ctx context.Context) error {
	var errs []error
	for _, wait := range all(h, &h.removed) {
		errs = append(errs, wait(ctx))
	}
	return errors.Join(errs...)
}

func (h *hooks) runCleanup(ctx context.Context, kept bool) error {
	hooks := all(h, &h.cleanup)
	errs := make([]error, len(hooks))
	var running sync.WaitGroup
	for i, end := range hooks {
		running.Go(func() { errs[i] = end(ctx, kept) })
	}
	running.Wait()
	return errors.Join(errs...)
}
