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

package matrix

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/prove"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/schema"
	"github.com/dra-conformance/dratest/upgrade/path"
	"github.com/dra-conformance/dratest/upgrade/run"
)

// gatesFile is the table of all gates in the report directory.
const gatesFile = "gates.md"

type cycle struct {
	prove.Trial

	gate  spec.Feature
	first bool // the gate before it is switched
}

func (c cycle) String() string {
	if c.first {
		return "on → off → on"
	}
	return "off → on → off"
}

// switchable are DRA's gates not locked in Kubernetes 1.36.
func switchable() []spec.Feature {
	return []spec.Feature{spec.ExtendedResource, spec.PartitionableDevices, spec.ConsumableCapacity, spec.DeviceTaints, spec.BindingConditions}
}

func cycles() []cycle {
	var all []cycle
	for _, gate := range switchable() {
		for _, first := range []bool{true, false} {
			c := cycle{gate: gate, first: first}
			c.ID = string(gate) + "-" + strings.ReplaceAll(c.String(), " → ", "-")
			c.What = fmt.Sprintf("switch feature gate %s %s under running claims", gate, c)
			all = append(all, c)
		}
	}
	return all
}

// GatesProof has two trials for each feature gate of a version: off and on again, on and off again.
func GatesProof(from string) prove.Proof {
	p := prove.Proof{Name: "gates", Keyword: "passed", Where: "Kubernetes " + from}
	for _, c := range cycles() {
		p.Trials = append(p.Trials, c.Trial)
	}
	return p
}

// Gates runs each trial on a cluster of its own.
type Gates struct {
	run.Series
	// From is the version of the clusters, as 1.36.
	From string

	request path.Request
	made    bool // a cluster, by this process or the killed one
}

var _ prove.Summarizer = (*Gates)(nil)

// Open removes leftovers of a killed process.
func (p *Gates) Open(ctx context.Context, resumed bool) (err error) {
	if p.request, err = run.Between(p.From, p.From); err != nil || !resumed {
		return err
	}
	return p.Remove(ctx)
}

// Close removes the cluster of an interrupted trial; completed trials have removed theirs.
func (p *Gates) Close(ctx context.Context, over bool) error {
	if over || !p.made {
		return nil
	}
	return p.Remove(ctx)
}

// Try switches a gate and back. A switch not allowed in its version is not a failure.
func (p *Gates) Try(ctx context.Context, t prove.Trial, dir string) (prove.Finding, error) {
	all := cycles()
	c := all[slices.IndexFunc(all, func(c cycle) bool { return c.ID == t.ID })]
	o := p.Options
	o.ReportDir, o.Request = dir, p.request
	o.Request.MadeWith = map[spec.Feature]bool{}
	if !c.first {
		o.Request.MadeWith[c.gate] = false
	}
	o.Request.Gates = []path.Switch{{Gate: c.gate, On: !c.first}, {Gate: c.gate, On: c.first}}
	if _, err := run.Plan(o); err != nil {
		return refused(err)
	}
	record, err := p.Upgrade(ctx, o)
	if errors.Is(err, clusters.ErrExists) {
		return prove.Finding{}, err // a foreign one, or a killed proof's
	}
	p.made = true
	if ctx.Err() != nil {
		return prove.Finding{}, err
	}
	// Each trial has a cluster of its own: an error in one does not affect the next.
	return switched(record, err), p.Remove(ctx)
}

// refused converts a refusal of the path into a finding; other errors stay errors.
func refused(err error) (prove.Finding, error) {
	var refusal *path.RefusalError
	if errors.As(err, &refusal) && strings.HasPrefix(string(refusal.Rule), "gate-") {
		return prove.Finding{Detected: true, Note: "refused: " + refusal.Error()}, nil
	}
	return prove.Finding{}, err
}

// switched is the finding of an upgrade.
func switched(r run.Record, err error) prove.Finding {
	var f prove.Finding
	for _, c := range r.Cases {
		if c.Status == spec.Failed || c.Status == spec.Blocked {
			f.Missed = append(f.Missed, c.ID)
		}
	}
	f.Note = strings.Join(r.Problems, "; ")
	switch {
	case r.Verdict == schema.Passed && err == nil:
		f.Detected = true
	case err != nil:
		f.Problem = err.Error()
	case r.Verdict == schema.Incomplete:
		f.Problem = "the upgrade is incomplete"
	}
	return f
}

// Summarize writes the table.
func (p *Gates) Summarize(r prove.Record, dir string) error {
	table := gatesTable(p.From, r, func(evidence string) (run.Record, error) { return run.LoadRecord(filepath.Join(dir, evidence)) })
	if err := os.WriteFile(filepath.Join(dir, gatesFile), table, 0o644); err != nil {
		return fmt.Errorf("write the table of gates: %w", err)
	}
	return nil
}

// gatesTable is a Markdown table of the trials with a verdict. read returns the record of an upgrade by the directory
// of its evidence.
func gatesTable(from string, r prove.Record, read func(evidence string) (run.Record, error)) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Feature gates of Kubernetes %s, switched\n\n| gate | cycle | result | steps | passed | not applicable | known issues | failed |\n|---|---|---|---|---|---|---|---|\n", from)
	for _, c := range cycles() {
		i := slices.IndexFunc(r.Results, func(x prove.Result) bool { return x.ID == c.ID })
		if i < 0 {
			continue
		}
		x := r.Results[i]
		fmt.Fprintf(&b, "| %s | %s |", c.gate, c)
		record, err := read(x.Evidence)
		switch {
		case strings.HasPrefix(x.Note, "refused: "):
			fmt.Fprintf(&b, " %s | | | | | |\n", x.Note)
		case err != nil:
			fmt.Fprintf(&b, " no verdict: %s | | | | | |\n", strings.ReplaceAll(x.Problem, "\n", " "))
		default:
			b.WriteString(row(record))
		}
	}
	return b.Bytes()
}

// row is the rest of a line.
func row(r run.Record) string {
	passed, left := 0, 0
	var known, bad []string
	for _, c := range r.Cases {
		name := strings.TrimPrefix(c.ID, "upgrade/")
		switch c.Status {
		case spec.Passed:
			passed++
		case spec.NotApplicable:
			left++
		case spec.Failed, spec.Blocked:
			bad = append(bad, name)
		case "": // it did not come to its end
		default:
			known = append(known, name)
		}
	}
	return fmt.Sprintf(" %s | %d/%d | %d | %d | %s | %s |\n", r.Verdict, r.Done(), len(r.Steps), passed, left, strings.Join(known, " "), strings.Join(bad, " "))
}
