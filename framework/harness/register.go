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
	"cmp"
	"context"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"

	"github.com/dra-conformance/dratest/framework/plan"
	"github.com/dra-conformance/dratest/framework/spec"
)

// location is where the code of a case begins, for Ginkgo's --focus-file and reports.
func location(c Case) types.CodeLocation {
	run := runtime.FuncForPC(reflect.ValueOf(c.Run).Pointer())
	file, line := run.FileLine(run.Entry())
	return types.CodeLocation{FileName: file, LineNumber: line}
}

// Register turns cases into Ginkgo specs. Call it while Ginkgo builds its tree; env is called when
// a spec runs. Cases with HoldsNode run one after another on Env.SetAside, in parallel to others.
func Register(cases []Case, env func() *Env) {
	// A process runs one spec at a time, so there is at most one T.
	var current *T
	add := func(c Case) {
		timeout := c.Timeout
		if timeout == 0 {
			timeout = spec.DefaultTimeout
		}
		// Not a SpecTimeout, which includes the cleanup.
		args := []any{ginkgo.NodeTimeout(timeout + slack), ginkgo.Label(c.Labels()...), location(c)}
		if c.SerialBecause != "" && !c.HoldsNode {
			args = append(args, ginkgo.Serial)
		}
		// The longest start first, so that others fill the time.
		switch {
		case c.HoldsNode:
			args = append(args, ginkgo.SpecPriority(2))
		case c.WaitsFor != "":
			args = append(args, ginkgo.SpecPriority(1))
		}
		cleaning := ginkgo.NodeTimeout(scaled(cleanupTimeout, c.TimeoutScale))
		args = append(args, func(ctx ginkgo.SpecContext) {
			e := env()
			if skip := skipOf(e.Plan, c.ID); skip != nil {
				ginkgo.Skip(fmt.Sprintf("%s: %s", skip.Code, skip.Text)) //nolint:forbidigo // the plan's skip
			}
			t := newT(c.Meta, e)
			t.scale = c.TimeoutScale
			current = t
			e.Journal(spec.Progress{Time: t.started, ID: c.ID})
			ginkgo.DeferCleanup(t.cleanUp, cleaning)
			ginkgo.DeferCleanup(func(ctx context.Context) {
				t.over.Store(true)
				if failed := ginkgo.CurrentSpecReport().Failed(); failed || t.knownIssue() != "" {
					t.GatherEvidence(ctx)
					t.provisional = !failed
				}
			}, cleaning)
			defer t.stayOut()
			run, cancel := context.WithTimeoutCause(ctx, timeout, fmt.Errorf("the case took longer than %s", timeout))
			defer cancel()
			t.ctx = run
			t.setUp()
			c.Run(t)
			t.runPassed(run)
		})
		ginkgo.It(plan.Text(c.Meta), args...)
	}
	var holders []Case
	for _, c := range cases {
		if c.HoldsNode {
			holders = append(holders, c)
		} else {
			add(c)
		}
	}
	if len(holders) > 0 {
		// Those that restart the node last, as a node that does not come back fails all further ones.
		slices.SortStableFunc(holders, func(a, b Case) int { return cmp.Compare(a.Needs.Restarts, b.Needs.Restarts) })
		// One process runs them one after another while the others run other cases.
		ginkgo.Describe("", ginkgo.Ordered, ginkgo.ContinueOnFailure, func() {
			for _, c := range holders {
				add(c)
			}
		})
	}
	ginkgo.ReportAfterEach(func(report ginkgo.SpecReport) {
		if current == nil {
			return
		}
		t := current
		current = nil
		t.env.Journal(spec.Progress{Time: time.Now(), ID: t.meta.ID, Outcome: t.outcome(report)})
	})
}
