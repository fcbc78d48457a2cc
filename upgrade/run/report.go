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
	"cmp"
	"fmt"
	"time"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/schema"
)

// report converts the run to a report: a case with all its parts is one case.
func (r *run) report(now time.Time) schema.Report {
	p := spec.Plan{Target: r.record.Target}
	for _, c := range r.record.Cases {
		for _, known := range r.parts.Cases {
			if known.ID == c.ID {
				p.Entries = append(p.Entries, spec.Entry{Meta: known.Meta, Skip: c.Skip})
			}
		}
	}
	info := reports.Info{
		Requirements: r.parts.Requirements,
		Suite:        reports.SuiteVersion(), Provider: r.provider(), Driver: r.driver(), Started: r.record.Started, Ended: now,
		Problems: r.record.Problems, Selection: schema.Selection{Parallel: len(r.record.Cases), Strict: r.options.Strict, Expectations: r.record.Expectations},
		Monitoring: r.record.Monitoring, Findings: r.record.Findings,
	}
	if r.record.done() < len(r.record.Steps) {
		info.EndedEarly = fmt.Sprintf("%d of %d steps were done", r.record.done(), len(r.record.Steps))
	}
	return reports.Build(p, outcomes(r.record), info)
}

// outcomes returns the outcomes of the finished cases.
func outcomes(r Record) (all []spec.Outcome) {
	for _, c := range r.Cases {
		if c.Status != "" && c.Skip == nil {
			all = append(all, outcome(r, c))
		}
	}
	return all
}

// outcome combines the outcomes of a case's parts.
func outcome(r Record, c Case) spec.Outcome {
	o := spec.Outcome{ID: c.ID, Status: c.Status}
	if c.Status == spec.Known || c.Status == spec.Unreviewed {
		o.Reason = c.knownIssues()[0].String()
	}
	for i, p := range c.Pieces {
		if i == 0 {
			o.Started = p.Started
		}
		o.Duration += time.Duration(p.Seconds * float64(time.Second))
		o.Evidence = cmp.Or(p.Evidence, o.Evidence)
		if p.Failure != "" {
			o.Failure = fmt.Sprintf("%s step %d (%s): %s", p.Phase, p.Step, stepName(r, p.Step), p.Failure)
			o.LastStep, o.Location = p.LastStep, p.Location
		}
	}
	return o
}

func (r *run) provider() string {
	if r.record.External != nil {
		return testbed.Existing
	}
	return "kind"
}

// driver is the driver under test.
func (r *run) driver() schema.Driver {
	if s := r.record.Target.DriverUnderTest; s != nil {
		return reports.DriverOf(s.Driver, "")
	}
	return r.options.Driver
}
