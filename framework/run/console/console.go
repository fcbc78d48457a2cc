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

package console

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dra-conformance/dratest/clusters/progress/live"
	"github.com/dra-conformance/dratest/framework/run/journal"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/schema"
)

// quiet is the time without output before a run shows a sign of life.
const quiet = 10 * time.Second

// width is the width of the case ID column.
const width = 48

// Console prints the progress of a run. It is not safe for concurrent use.
type Console struct {
	out      io.Writer
	dir      string
	total    int
	parallel int
	running  map[string]spec.Progress // since when, and the latest step
	took     []time.Duration          // of finished cases
	failed   int
	last     time.Time
	// Expected are the cases expected to fail.
	Expected []schema.Expectation
	live     *live.Task
}

// New returns a console for a run starting now, of total cases, parallel of them at a time; dir is the report
// directory as given by the user. It must be closed.
func New(out io.Writer, dir string, total, parallel int, now time.Time) *Console {
	c := &Console{out: out, dir: dir, total: total, parallel: parallel, running: map[string]spec.Progress{}, last: now}
	if total > 0 {
		c.live = live.Start(out, c.view(now))
	}
	return c
}

// Close ends the live area.
func (c *Console) Close() { c.live.End() }

func (c *Console) printf(now time.Time, format string, args ...any) {
	c.last = now
	_, _ = fmt.Fprintln(c.out, spec.Printable(fmt.Sprintf(format, args...)))
}

// Show prints a journal record.
func (c *Console) Show(now time.Time, r journal.Record) {
	switch {
	case r.Problem != "":
		c.printf(now, "!!   %s", oneLine(r.Problem))
	case r.Finding != nil:
		c.printf(now, "!!   %s", oneLine(r.Finding.String()))
	case r.Step != "":
		p := c.running[r.ID]
		p.Step = r.Step
		c.running[r.ID] = p
	case r.Outcome == nil:
		c.running[r.ID] = r.Progress
	default:
		delete(c.running, r.ID)
		c.took = append(c.took, r.Outcome.Duration)
		if r.Outcome.Status == spec.Failed && c.expected(r.ID) == "" {
			c.failed++
		}
		c.outcome(now, *r.Outcome)
	}
}

func (c *Console) outcome(now time.Time, o spec.Outcome) {
	word := map[spec.Status]string{spec.Passed: "ok  ", spec.Failed: "FAIL", spec.Known: "known", spec.Unreviewed: "REVW", spec.Blocked: "BLKD", spec.NotApplicable: "skip"}[o.Status]
	expected := c.expected(o.ID)
	switch {
	case expected == "":
	case o.Status == spec.Failed, o.Status == spec.Unreviewed:
		word = "xfail"
	case o.Status == spec.Passed:
		word = "xpass"
	}
	c.printf(now, "%-*s %6.1fs", width+5, word+" "+o.ID, o.Duration.Seconds())
	if word == "xfail" || word == "xpass" {
		c.printf(now, "     expected to fail: %s", oneLine(expected))
	}
	if o.Status == spec.Passed {
		return
	}
	why := o.Failure
	if why == "" {
		why = o.Reason
	}
	what, seen := spec.LastSeen(why)
	if seen == "" {
		seen = o.LastStep
	}
	for _, line := range []struct{ name, text string }{{"", what}, {"last: ", seen}} {
		if line.text != "" {
			c.printf(now, "     %s%s", line.name, oneLine(line.text))
		}
	}
	if o.Evidence != "" {
		c.printf(now, "     evidence: %s", filepath.Join(c.dir, o.Evidence))
	}
}

// expected is why a case is expected to fail; empty for most.
func (c *Console) expected(id string) string {
	if i := slices.IndexFunc(c.Expected, func(e schema.Expectation) bool { return e.Case == id }); i >= 0 {
		return c.Expected[i].String()
	}
	return ""
}

// Tick shows running cases: in a terminal's live area, or on a line of its own if nothing has been printed for a
// while.
func (c *Console) Tick(now time.Time) {
	if c.live.Live() {
		c.live.Set(c.view(now))
		return
	}
	if now.Sub(c.last) < quiet {
		return
	}
	var running []string
	for id, p := range c.running {
		running = append(running, fmt.Sprintf("%s (%s)", id, now.Sub(p.Time).Round(time.Second)))
	}
	slices.Sort(running)
	if len(running) == 0 {
		running = []string{"no case at the moment"}
	}
	c.printf(now, "  .. %d of %d done, still running: %s", len(c.took), c.total, strings.Join(running, ", "))
}

// limit is the maximum number of characters of a text: the report has all of it.
const limit = 240

func oneLine(s string) string {
	line := []rune(strings.Join(strings.Fields(spec.Printable(s)), " "))
	if len(line) > limit {
		return string(line[:limit]) + " …"
	}
	return string(line)
}
