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

package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/dra-conformance/dratest/framework/run/journal"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
	"github.com/dra-conformance/dratest/reports"
)

// Checks are cases run one by one in the process of the run, after all Ginkgo specs and monitors have ended.
type Checks struct {
	Metas []spec.Meta
	// Run runs the checks with these IDs in order, and calls ended after each. Checks without an outcome are blocked
	// by its error.
	Run func(ctx context.Context, b *testbed.Testbed, ids []string, ended func(spec.Outcome)) error
}

// split separates the Ginkgo specs of a plan from the checks.
func (c Checks) split(p spec.Plan) (specs, checks spec.Plan) {
	specs.Target, checks.Target = p.Target, p.Target
	for _, e := range p.Entries {
		into := &specs
		if slices.ContainsFunc(c.Metas, func(m spec.Meta) bool { return m.ID == e.Meta.ID }) {
			into = &checks
		}
		into.Entries = append(into.Entries, e)
	}
	return specs, checks
}

// check runs the checks of a plan. Their outcomes are lines of the journal and of the log.
func (r *running) check(ctx context.Context, c *collector, p spec.Plan) (endedEarly string, err error) {
	var left []string
	for _, e := range p.Entries {
		if e.Skip == nil {
			left = append(left, e.Meta.ID)
		}
	}
	w, err := journal.Append(r.dir)
	if err != nil {
		return "", err
	}
	log, err := os.OpenFile(filepath.Join(r.dir, logFile), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return "", errors.Join(fmt.Errorf("open log: %w", err), w.Close())
	}
	var unwritten error
	ended := func(o spec.Outcome) {
		now := time.Now()
		_, failed := log.WriteString(reports.CheckLine(o) + "\n")
		unwritten = errors.Join(unwritten, failed, w.Write(journal.Record{Progress: spec.Progress{Time: now, ID: o.ID, Outcome: &o}}))
		left = slices.DeleteFunc(left, func(id string) bool { return id == o.ID })
		c.read(now)
	}
	limited, cancel := context.WithTimeoutCause(ctx, r.options.Timeout, fmt.Errorf("the time limit of %s was reached", r.options.Timeout))
	defer cancel()
	failed := r.parts.Checks.Run(limited, r.testbed, slices.Clone(left), ended)
	switch {
	case ctx.Err() != nil:
		endedEarly = "the run was interrupted"
	case limited.Err() != nil:
		endedEarly = context.Cause(limited).Error()
	case failed != nil && len(left) == 0: // such as a failed cleanup
		unwritten = errors.Join(unwritten, w.Write(journal.Record{Progress: spec.Progress{Time: time.Now()}, Problem: failed.Error()}))
		c.read(time.Now())
	case failed != nil:
		for _, id := range slices.Clone(left) {
			ended(spec.Outcome{ID: id, Status: spec.Blocked, Started: time.Now(), Reason: failed.Error()})
		}
	}
	return endedEarly, errors.Join(unwritten, log.Close(), w.Close())
}
