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
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dra-conformance/dratest/framework/pools"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Run runs the checks one by one and returns their outcomes in order. It removes all objects it
// created, even after ctx has ended; the remaining checks then have no outcome. It returns an error if
// nothing could be checked, or an object could not be removed.
func Run(ctx context.Context, access NodeAccess, o Options) (outcomes []spec.Outcome, err error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	w, err := open(ctx, access, o.withDefaults())
	if err != nil {
		return nil, err
	}
	defer func() {
		if closing := w.close(context.WithoutCancel(ctx)); closing != nil {
			err = errors.Join(err, fmt.Errorf("remove the objects of the checks: %w", closing))
		}
	}()
	for _, c := range All() {
		if len(o.Only) > 0 && !slices.Contains(o.Only, c.ID) {
			continue
		}
		if ctx.Err() != nil {
			return outcomes, context.Cause(ctx)
		}
		w.trace.reset()
		outcome := w.outcome(ctx, c)
		if ctx.Err() != nil {
			return outcomes, context.Cause(ctx)
		}
		outcomes = append(outcomes, outcome)
		w.Ended(outcome, w.trace.lines())
	}
	return outcomes, nil
}

// Metas returns the metadata of the checks, for plans and reports.
func Metas() []spec.Meta {
	var metas []spec.Meta
	for _, c := range All() {
		c.Needs.Contract, c.SerialBecause = true, "checks take the devices that they need while no pod does"
		metas = append(metas, c.Meta)
	}
	return metas
}

// outcome runs a check in each version served by the driver.
func (w *world) outcome(ctx context.Context, c Check) spec.Outcome {
	started := time.Now()
	if w.silent != "" {
		return spec.Outcome{ID: c.ID, Status: spec.Blocked, Started: started, Reason: "the driver has not answered since " + w.silent + " failed"}
	}
	versions := w.versions
	if c.Once {
		versions = versions[:1]
	}
	verdicts := map[spec.GRPCVersion]verdict{}
	for _, version := range versions {
		t := w.check(ctx, version, c.Run)
		verdicts[version] = t.verdict
		if verdicts[version].status == spec.Failed {
			w.withhold(ctx, version, c.ID, t.used)
		}
		if verdicts[version].status == spec.NotApplicable || w.silent != "" {
			break
		}
	}
	return join(c, versions, verdicts, started, time.Since(started))
}

// check runs a check in one version, with its timeout, and returns the verdict.
func (w *world) check(ctx context.Context, version spec.GRPCVersion, run func(*T)) *T {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	limit := w.limit()
	timer := time.AfterFunc(limit, func() { cancel(fmt.Errorf("it has taken %s", limit)) })
	defer timer.Stop()
	t := &T{world: w, ctx: ctx, timer: timer, version: version}
	t.verdict = t.do(run)
	return t
}

// withhold tries the devices of a failed check. First it waits for the driver to answer, as it may
// have crashed.
func (w *world) withhold(ctx context.Context, version spec.GRPCVersion, check string, used []Device) {
	var devices []Device
	seen := map[pools.ID]bool{}
	for _, d := range used {
		if id := (pools.ID{Pool: d.Pool, Device: d.Name}); !seen[id] {
			seen[id] = true
			devices = append(devices, d)
		}
	}
	w.check(ctx, version, func(t *T) {
		if !t.await(func(ctx context.Context) bool { return t.answers(ctx, version) == nil }) {
			w.silent = check
			return
		}
		t.withhold(check, devices)
	})
}

// join merges a check's verdicts into one outcome: the worst one wins, with its version if there
// are several.
func join(c Check, versions []spec.GRPCVersion, verdicts map[spec.GRPCVersion]verdict, started time.Time, took time.Duration) spec.Outcome {
	o := spec.Outcome{ID: c.ID, Status: spec.Passed, Started: started, Duration: took}
	for _, bad := range []spec.Status{spec.Failed, spec.Blocked, spec.NotApplicable, spec.Passed} {
		for _, version := range versions {
			v, ok := verdicts[version]
			if !ok || v.status != bad {
				continue
			}
			text := message(v.text)
			if len(versions) > 1 && (bad == spec.Failed || bad == spec.Blocked) {
				text = "plugin API " + string(version) + ": " + text
			}
			o.Status = bad
			if bad == spec.Failed {
				o.Failure = text
			} else {
				o.Reason = text
			}
			return o
		}
	}
	return o
}

// longest is the length of a message in bytes.
const longest = 4096

// message returns a text with words of the driver, cut off where it gets long, and without control
// characters.
func message(text string) string {
	if rest := len(text) - longest; rest > 0 {
		text = fmt.Sprintf("%s … (%d bytes more)", strings.ToValidUTF8(text[:longest], ""), rest)
	}
	return spec.Printable(text)
}
