package kills

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/plan"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
	"github.com/dra-conformance/dratest/reports/schema"
	"github.com/dra-conformance/dratest/suites/prove"
	"github.com/dra-conformance/dratest/suites/run"
)

// The time that a case may take: several times what any of them does when nothing is
// broken, on nodes and on a control plane of processes. What is broken often shows itself
// by nothing happening, which would take each case's two minutes. Cases that start programs
// have twice what the longest of them takes: those begin, and devices are attached and detached.
const (
	nodeLimit       = 30 * time.Second
	simulationLimit = 20 * time.Second
	startedLimit    = time.Minute
)

// overTime is what a case says first whose time was over.
const overTime = "the case took longer than"

// Cases run on one cluster, with mutants and without.
type Cases struct {
	Parts   run.Parts
	Options run.Options
	Bed     *testbed.Testbed
	// Kubeconfig is of a way to the cluster that is not the testbed's; empty for that.
	Kubeconfig string
	// Unlimited leaves cases the time that they have otherwise.
	Unlimited bool
	// All must notice a mutant; otherwise one is enough.
	All bool

	// without is what each case came to when it last ran without any mutant.
	without map[string]schema.Case
}

// Sound returns those of some cases that a mutant may be shown with, as they pass without
// one, or cannot run here; those of which it is not known run, with their report in dir.
// Where there is none, the finding says why nothing will be known of the mutant.
func (c *Cases) Sound(ctx context.Context, cases []string, dir string) ([]string, prove.Finding, error) {
	unknown := slices.DeleteFunc(slices.Clone(cases), func(id string) bool { _, known := c.without[id]; return known })
	if len(unknown) > 0 {
		if err := c.again(ctx, unknown, dir); err != nil {
			return nil, prove.Finding{}, err
		}
	}
	var sound, why []string
	for _, id := range cases {
		if can := c.without[id]; holds(can.Status) || can.Status == spec.NotApplicable {
			sound = append(sound, id)
		} else {
			why = append(why, unsound(can))
		}
	}
	if len(sound) > 0 || len(cases) == 0 {
		return sound, prove.Finding{}, nil
	}
	return nil, prove.Finding{Problem: strings.Join(why, "; ")}, nil
}

// unsound says what is wrong with a case that does not pass without a mutant.
func unsound(c schema.Case) string {
	return fmt.Sprintf("%s does not pass without the mutant either: %s %s%s", c.ID, c.Status, c.Failure, c.Reason)
}

// again runs cases without a mutant, and remembers what they come to.
func (c *Cases) again(ctx context.Context, cases []string, dir string) error {
	r, err := c.Run(ctx, cases, false, dir)
	if err != nil {
		return err
	}
	if c.without == nil {
		c.without = map[string]schema.Case{}
	}
	for _, id := range cases {
		c.without[id] = schema.Case{ID: id, Status: spec.Blocked, Reason: "it did not run"}
	}
	for _, can := range r.Cases {
		c.without[can.ID] = can
	}
	return testbed.Tidy(ctx, c.Bed.Client)
}

// Confirm returns a finding with the cases that stand. Those that failed because their time
// was over, as they do where the machine is busy, run again, now without the mutant.
func (c *Cases) Confirm(ctx context.Context, f prove.Finding, with schema.Report, dir string) (prove.Finding, error) {
	late := slices.DeleteFunc(slices.Clone(f.By), func(id string) bool { return !strings.Contains(says(with, id), overTime) })
	if len(late) > 0 {
		if err := c.again(ctx, late, dir); err != nil {
			return f, err
		}
	}
	var stand []string
	problem := ""
	for _, id := range f.By {
		if can := c.without[id]; !holds(can.Status) {
			problem = unsound(can)
			continue
		}
		stand = append(stand, id)
	}
	if len(f.By) > 0 {
		f.Note = ""
	}
	f.By, f.Shown = stand, f.Shown && len(stand) > 0 && (!c.All || problem == "")
	if len(stand) > 0 {
		f.Note = says(with, stand[0])
	}
	if !f.Shown && problem != "" {
		f.Problem = problem
	}
	return f, nil
}

// holds tells whether a case that came to this without a mutant is to be believed when it
// fails with one: it passes, or sees what Kubernetes is known for, and nothing else.
func holds(s spec.Status) bool { return s == spec.Passed || s == spec.Known }

// Run runs cases by their IDs, all of them or until one fails. What those that fail leave is
// for testbed.Tidy, once what was broken works again.
func (c *Cases) Run(ctx context.Context, cases []string, failFast bool, dir string) (schema.Report, error) {
	o := c.Options.On(c.Bed)
	if c.Kubeconfig != "" {
		o.Kubeconfig, o.Context = c.Kubeconfig, ""
	}
	o.ReportDir, o.Keep, o.FailFast, o.Timelines = dir, true, failFast, spec.TimelinesFailed
	if !c.Unlimited {
		o.CaseLimit = limit(run.Metas(c.Parts.Cases), cases, c.Bed.Provider)
	}
	o.Filter = plan.Filter{}
	for _, id := range cases {
		o.Filter.Focus = append(o.Filter.Focus, "^"+regexp.QuoteMeta(id)+" ")
	}
	return run.Run(ctx, c.Parts, o)
}

// limit is the time that each of these cases has.
func limit(metas []spec.Meta, cases []string, provider string) time.Duration {
	starts := slices.ContainsFunc(metas, func(m spec.Meta) bool {
		return slices.Contains(cases, m.ID) && (m.Needs.Classic || m.Needs.Composable || m.Needs.WhatIf)
	})
	switch {
	case starts:
		return startedLimit
	case provider == clusters.ProviderControlPlane:
		return simulationLimit
	default:
		return nodeLimit
	}
}

// RunInTurn runs the quiet ones of some cases, all of them, and where none fails the others
// until one does, so that it is known of each case whether it notices something. It returns
// the reports of both in one.
func (c *Cases) RunInTurn(ctx context.Context, cases, quiet []string, dir string) (schema.Report, error) {
	return inTurn(cases, quiet, func(cases []string, all bool) (schema.Report, error) {
		if all {
			return c.Run(ctx, cases, false, dir+"-quiet")
		}
		return c.Run(ctx, cases, true, dir)
	})
}

func inTurn(cases, quiet []string, run func(cases []string, all bool) (schema.Report, error)) (schema.Report, error) {
	var first, others []string
	for _, id := range cases {
		if slices.Contains(quiet, id) {
			first = append(first, id)
		} else {
			others = append(others, id)
		}
	}
	var report schema.Report
	if len(first) > 0 {
		var err error
		if report, err = run(first, true); err != nil {
			return report, err
		}
	}
	if len(others) == 0 || len(Judge(report).By) > 0 {
		return report, nil
	}
	rest, err := run(others, false)
	rest.Cases = slices.Concat(report.Cases, rest.Cases)
	return rest, err
}
