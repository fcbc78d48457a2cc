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

package prove

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/testbed"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/schema"
)

// Prover does the trials of a proof.
type Prover interface {
	// Open sets up the environment of trials. resumed is true if an earlier process may have left it.
	Open(ctx context.Context, resumed bool) error
	// Try runs a trial, with its evidence in dir, a new directory. An error ends the proof: later trials would be
	// meaningless.
	Try(ctx context.Context, t Trial, dir string) (Finding, error)
	// Close removes the environment, even if Open failed or ctx has ended. over is false if trials are left.
	Close(ctx context.Context, over bool) error
}

// Summarizer is a Prover with a summary format of its own.
type Summarizer interface {
	Prover
	Summarize(r Record, dir string) error
}

// Options select the trials, and the location of their record.
type Options struct {
	// Config has the cluster of the trials, and ReportDir for their record.
	testbed.Config

	// Only are the trials to do; none means all.
	Only  []string
	Shard Shard
	// Resume continues the proof in ReportDir: trials with a verdict are not repeated.
	Resume bool
	// Suite is this version of dratest.
	Suite schema.Suite
}

// Select returns the proof's trials selected by the options.
func (o Options) Select(p Proof) ([]Trial, error) {
	trials, err := Select(p.Trials, o.Only, o.Shard)
	return trials, clusters.Usage(err)
}

// Run runs the remaining trials and returns the record, also written after each trial. Errors are ErrAnother,
// reports.ErrInUse, clusters.UsageError, ctx's, and failures to run trials.
func Run(ctx context.Context, p Proof, prover Prover, o Options) (record Record, err error) {
	o.Config = o.WithDefaults()
	if err := p.validate(); err != nil {
		return record, err
	}
	trials, err := o.Select(p)
	if err != nil {
		return record, err
	}
	unlock, err := reports.Lock(o.ReportDir)
	if err != nil {
		return record, err
	}
	defer unlock()
	record = Record{
		SchemaVersion: schema.Version, Proof: p.Name, Keyword: p.Keyword, Where: p.Where, Suite: o.Suite, Shard: o.Shard.String(), Only: slices.Sorted(slices.Values(o.Only)),
		All: len(p.Trials), Rest: p.Rest, Started: time.Now().UTC(), Verdict: schema.Incomplete, Trials: trials, Results: []Result{}, Observers: p.Observers,
	}
	if record, err = begin(record, o); err != nil {
		return record, err
	}
	record = record.needed()
	if left := record.left(); len(left) > 0 {
		_, _ = fmt.Fprintf(o.Out, "%s: %d of %d trials are to be done\n", p.Name, len(left), len(record.Trials))
		record, err = all(ctx, prover, record, o)
	}
	record = record.needed()
	record.Print(o.Out)
	err = errors.Join(err, record.save(o.ReportDir))
	if s, ok := prover.(Summarizer); ok && len(record.Results) > 0 {
		err = errors.Join(err, s.Summarize(record, o.ReportDir))
	}
	return record, err
}

func begin(fresh Record, o Options) (Record, error) {
	if !o.Resume {
		return fresh, fresh.save(o.ReportDir)
	}
	old, err := load(o.ReportDir)
	if err == nil {
		err = old.fits(fresh)
	}
	if err != nil || !fresh.Rest {
		return old, err
	}
	// The trials left elsewhere may have changed.
	fresh.Started = old.Started
	for _, x := range old.Results {
		if slices.Contains(IDs(fresh.Trials), x.ID) {
			fresh = fresh.with(x)
		}
	}
	return fresh, nil
}

func all(ctx context.Context, prover Prover, record Record, o Options) (_ Record, err error) {
	defer func() { err = errors.Join(err, prover.Close(ctx, len(record.left()) == 0)) }()
	if err := prover.Open(ctx, o.Resume); err != nil {
		return record, err
	}
	left := record.left()
	for i, t := range left {
		if record = record.needed(); !slices.Contains(IDs(record.Trials), t.ID) {
			continue
		}
		_, _ = fmt.Fprintf(o.Out, "\n== %s (%d of %d): %s\n", t.ID, i+1, len(left), t.What)
		if t.Quiet = record.quiet(t); t.Elsewhere {
			t.Must = t.Quiet
		}
		result, err := try(ctx, prover, t, o)
		if err != nil {
			return record, fmt.Errorf("trial %s: %w", t.ID, err)
		}
		record = record.with(result)
		if err := record.save(o.ReportDir); err != nil {
			return record, err
		}
		_, _ = fmt.Fprintf(o.Out, "== %s\n", result.line(record.Keyword))
	}
	return record, nil
}

// try runs one trial. The finding of an interrupted trial is discarded.
func try(ctx context.Context, prover Prover, t Trial, o Options) (Result, error) {
	if ctx.Err() != nil {
		return Result{}, context.Cause(ctx)
	}
	dir := filepath.Join(o.ReportDir, t.ID)
	if err := os.RemoveAll(dir); err != nil {
		return Result{}, fmt.Errorf("remove leftovers of an earlier attempt: %w", err)
	}
	started := time.Now()
	found, err := prover.Try(ctx, t, dir)
	if ctx.Err() != nil {
		return Result{}, errors.Join(context.Cause(ctx), err)
	}
	if err != nil {
		return Result{}, err
	}
	if found.Evidence == "" {
		found.Evidence = t.ID
	}
	return Result{ID: t.ID, Started: started.UTC(), Seconds: time.Since(started).Seconds(), Finding: found}, nil
}

// line is the result for people.
func (r Result) line(word string) string {
	var b strings.Builder
	state := word
	switch {
	case r.Problem != "":
		state = "no verdict"
	case r.NotApplicable:
		state = "not applicable"
	case !r.Detected:
		state = "NOT " + word
	}
	fmt.Fprintf(&b, "%-12s %s (%.0fs)", state, r.ID, r.Seconds)
	if len(r.By) > 0 {
		b.WriteString(" by " + strings.Join(r.By, ", "))
	}
	if len(r.Missed) > 0 {
		b.WriteString(", not by " + strings.Join(r.Missed, ", "))
	}
	for _, text := range []string{r.Note, r.Problem} {
		if text != "" {
			b.WriteString(": " + strings.ReplaceAll(text, "\n", "\n    "))
		}
	}
	return b.String()
}

// Print writes a line for each trial and, last, the one for programs. Trials not applicable are listed before it.
func (r Record) Print(out io.Writer) {
	_, _ = fmt.Fprintln(out)
	for _, x := range r.Results {
		_, _ = fmt.Fprintln(out, x.line(r.Keyword))
	}
	for _, t := range r.left() {
		if !slices.ContainsFunc(r.Results, func(x Result) bool { return x.ID == t.ID }) {
			_, _ = fmt.Fprintf(out, "%-12s %s\n", "left", t.ID)
		}
	}
	if n := r.NotApplicable(); n > 0 {
		_, _ = fmt.Fprintf(out, "%d of the trials do not apply here\n", n)
	}
	if n := r.Untried(); n > 0 {
		_, _ = fmt.Fprintf(out, "%d trials of the proof are in none of these parts\n", n)
	}
	line := fmt.Sprintf("%s: %s=%d total=%d", r.Proof, r.Keyword, r.Detected(), len(r.Trials))
	if len(r.Observers) > 0 {
		line += fmt.Sprintf(" cases-without=%d", len(r.Without()))
	}
	_, _ = fmt.Fprintln(out, line)
}
