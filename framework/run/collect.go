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
	"fmt"
	"slices"
	"time"

	"github.com/dra-conformance/dratest/framework/run/journal"
	"github.com/dra-conformance/dratest/framework/spec"
)

type collector struct {
	reader   *journal.Reader
	show     func(time.Time, journal.Record)
	outcomes []spec.Outcome
	problems []string
	// findings and monitoring are those of the monitors.
	findings   []spec.Finding
	monitoring *spec.Monitoring
	running    []spec.Progress
}

func (c *collector) read(now time.Time) {
	records, err := c.reader.Next()
	if err != nil {
		c.problem(now, err.Error())
	}
	for _, r := range records {
		switch {
		case r.Run != nil:
			c.running = nil // killed cases do not run any more
			continue
		case r.Problem != "":
			c.problem(now, r.Problem)
			continue
		case r.Finding != nil:
			c.findings = append(c.findings, *r.Finding)
		case r.Monitoring != nil:
			c.monitoring = c.monitoring.Add(*r.Monitoring)
			continue
		case r.Step != "":
			if !c.step(r.Progress) {
				continue // of an abandoned case
			}
		case r.Outcome == nil:
			c.running = append(c.running, r.Progress)
		default:
			c.running = slices.DeleteFunc(c.running, func(p spec.Progress) bool { return p.ID == r.ID })
			c.outcomes = append(c.outcomes, *r.Outcome)
		}
		c.show(now, r)
	}
}

// step records a running case's step, and reports whether the case is running.
func (c *collector) step(p spec.Progress) bool {
	i := slices.IndexFunc(c.running, func(running spec.Progress) bool { return running.ID == p.ID })
	if i >= 0 {
		c.running[i].Step = p.Step
	}
	return i >= 0
}

// problem records a problem once, even if each process reports it.
func (c *collector) problem(now time.Time, text string) {
	if slices.Contains(c.problems, text) {
		return
	}
	c.problems = append(c.problems, text)
	c.show(now, journal.Record{Problem: text})
}

// finish sets the outcome of cases that started and did not end.
func (c *collector) finish(now time.Time, endedEarly string) {
	for _, p := range c.running {
		reason := "did not end"
		if endedEarly != "" {
			reason += ": " + endedEarly
		}
		o := spec.Outcome{ID: p.ID, Status: spec.Blocked, Started: p.Time, Duration: now.Sub(p.Time), Reason: reason, LastStep: p.Step}
		c.outcomes = append(c.outcomes, o)
		c.show(now, journal.Record{Progress: spec.Progress{Time: now, ID: p.ID, Outcome: &o}})
	}
	c.running = nil
}

// explain adds a problem for an exit of Ginkgo not explained by any outcome.
func (c *collector) explain(now time.Time, exit error, endedEarly string, outcomes []spec.Outcome) {
	explained := endedEarly != "" || slices.ContainsFunc(outcomes, func(o spec.Outcome) bool {
		return o.Status == spec.Failed || o.Status == spec.Blocked
	})
	if exit != nil && !explained && len(c.problems) == 0 {
		c.problem(now, fmt.Sprintf("Ginkgo ended with %q although no case failed; see %s", exit, logFile))
	}
}
