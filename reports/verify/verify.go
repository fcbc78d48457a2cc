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

package verify

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/diff"
	"github.com/dra-conformance/dratest/reports/profile"
	"github.com/dra-conformance/dratest/reports/schema"
)

// Rules are the verification rules for reports of an engine.
type Rules struct {
	// Required are the cases of this build, Versions the known profile versions.
	Required []schema.RequiredCase
	Versions []profile.Version
	// Build is this build of dratest.
	Build schema.Suite
	// Certificate derives the certificate of a directory; nil for engines without one.
	Certificate func(dir fs.FS, required []schema.RequiredCase, r schema.Report, was schema.Certificate) (schema.Certificate, error)
	// Subject returns features and hooks of the driver under test; nil for engines without one.
	Subject func(dir fs.FS, c schema.Certificate) (spec.DriverUnderTest, error)
	// Record reads the record of an engine without outcomes.jsonl. failed means a failure outside of the
	// cases, reasons are contradictions between record and report.
	Record func(dir fs.FS, r schema.Report) (outcomes []spec.Outcome, failed bool, reasons []string)
}

// Directory verifies the report in a directory by the rules of its engine. It returns the reasons for
// rejecting the report, one per line; none means it is valid. It returns an error if there is no
// conformance report, or an unknown version of its schema or profile (schema.ErrOtherVersion).
func Directory(dir fs.FS, engines map[schema.Engine]Rules) (c schema.ConformanceReport, reasons []string, err error) {
	data, err := fs.ReadFile(dir, reports.ConformanceFile)
	if err != nil {
		return c, nil, fmt.Errorf("there is no conformance report: %w", err)
	}
	c, err = schema.DecodeConformance(data)
	if errors.Is(err, schema.ErrOtherVersion) {
		return c, nil, err
	}
	if err != nil {
		return c, []string{fmt.Sprintf("%s cannot be read: %v%s", reports.ConformanceFile, err, writer(data))}, nil
	}
	rules, ok := engines[cmp.Or(c.Engine, schema.EngineRun)]
	if !ok {
		return c, []string{fmt.Sprintf("%s: its engine is %q, unknown to this dratest", reports.ConformanceFile, c.Engine)}, nil
	}
	if err := rules.knows(c); err != nil {
		return c, nil, err
	}
	v := &verification{dir: dir, conformance: c, rules: rules, list: rules.Required}
	v.required()
	v.files()
	v.contents()
	return c, v.reasons, nil
}

// writer names the build of an unreadable report, for example of a newer version.
func writer(data []byte) string {
	var c struct {
		Suite schema.Suite `json:"suite"`
	}
	if yaml.Unmarshal(data, &c) != nil || c.Suite.Version == "" {
		return ""
	}
	return fmt.Sprintf(" (dratest %s wrote it: verify it with that)", strings.TrimSpace(c.Suite.Version+" "+c.Suite.Commit))
}

// verification is the state of a verification.
type verification struct {
	dir         fs.FS
	conformance schema.ConformanceReport
	rules       Rules
	// list are the cases of the report's suite version.
	list    []schema.RequiredCase
	reasons []string
}

func (v *verification) refuse(format string, args ...any) {
	v.reasons = append(v.reasons, fmt.Sprintf(format, args...))
}

// compare rejects each differing field.
func (v *verification) compare(where, source string, found, should any) {
	differences, err := diff.Fields(found, should)
	if err != nil {
		v.refuse("%s: %v", where, err)
	}
	for _, d := range differences {
		v.refuse("%s: %s is %s, and %s %s", where, d.Path, shown(d.A), source, shown(d.B))
	}
}

// shown formats a value for a message.
func shown(text string) string {
	const most = 200
	switch {
	case text == "":
		return "missing"
	case len(text) > most:
		return text[:most] + "…"
	default:
		return text
	}
}

// contents compares the files' contents with each other.
func (v *verification) contents() {
	r, ok := v.report()
	if !ok {
		return
	}
	j, ok := v.recorded(r)
	if !ok {
		return
	}
	v.levels(r)
	outcomes := v.outcomes(r, j)
	info := infoOf(r, j.outcomes)
	info.Monitoring, info.Findings = j.monitoring, j.findings
	should := reports.Build(planOf(r), outcomes, info)
	if j.failed {
		should.Summary.Verdict = schema.Failed
	}
	if p := r.Profile; p != nil {
		should = reports.Judge(should, schema.RunProfile{
			Name: p.Name, Version: v.version(v.conformance.Suite.RequiredCases), Required: len(profile.Required(p.Name, v.list)),
		}, v.list)
	} else if v.engine() == schema.EngineRun {
		should = reports.Judge(should, schema.RunProfile{}, nil)
	}
	certificate := v.certificate(r)
	if certificate != nil {
		should = reports.Certified(should, *certificate)
	}
	for i := range should.Cases { // derived from needs of the case, in none of the files
		should.Cases[i].Labels = r.Cases[i].Labels
	}
	v.compare(reports.JSONFile, v.source()+" makes it", r, should)
	for _, p := range j.problems {
		if !contains(r.Problems, p) {
			v.refuse("%s: it has not the problem that %s has: %s", reports.JSONFile, reports.JournalFile, p)
		}
	}
	c := v.conformance
	v.compare(reports.ConformanceFile, "the other files make it", c, reports.Conformance(r, j.outcomes, reports.Facts{
		Implementation: c.Implementation, Engine: c.Engine, Certificate: certificate, Command: c.Run.Command,
		Binary: c.Suite.Binary, Required: v.list, Files: c.AllFiles(),
	}))
	v.profile(r)
	if v.rules.Wrote(c) {
		v.rendered(r)
	}
	v.log(r, j)
	v.evidence(r)
}

func (v *verification) report() (schema.Report, bool) {
	data, err := fs.ReadFile(v.dir, reports.JSONFile)
	if err != nil {
		return schema.Report{}, false // files has reported it
	}
	r, err := schema.Decode(data)
	if err != nil {
		v.refuse("%s cannot be read: %v", reports.JSONFile, err)
		return r, false
	}
	return r, true
}

// planOf returns the plan of a report.
func planOf(r schema.Report) spec.Plan {
	c := r.Cluster
	plan := spec.Plan{Target: spec.Target{
		Server: c.Server, Kubernetes: c.Kubernetes, ResourceAPIs: c.ResourceAPIs, Components: c.Components, Stack: c.Stack,
		Running: c.Running, Nodes: c.Nodes, Gates: c.Gates, GatesUnseen: c.GatesUnseen, Observed: c.Observed,
	}}
	for _, rc := range r.Cases {
		e := spec.Entry{Meta: spec.Meta{ID: rc.ID, Aliases: rc.Aliases, Checks: rc.Checks, WaitsFor: rc.WaitsFor, KnownIssue: rc.KnownIssue}}
		for _, requirement := range rc.Requirements {
			e.Meta.Requires = append(e.Meta.Requires, requirement.ID)
		}
		if rc.SkipCode != "" && rc.SkipCode != spec.SkipCheck { // checks run before they end with SkipCheck
			e.Skip = &spec.Skip{Code: rc.SkipCode, Text: rc.Reason}
		}
		plan.Entries = append(plan.Entries, e)
	}
	return plan
}

func infoOf(r schema.Report, outcomes []spec.Outcome) reports.Info {
	info := reports.Info{
		Suite: r.Suite, Provider: r.Cluster.Provider, Driver: r.Driver, Selection: r.Selection,
		Seed: r.Seed, Started: r.Started, Ended: r.Ended,
	}
	for _, rc := range r.Cases {
		info.Requirements = append(info.Requirements, rc.Requirements...)
	}
	// Build finds those about unplanned outcomes again.
	for _, p := range r.Problems {
		if !strings.HasSuffix(p, " has an outcome, but was not planned") || !aboutOutcome(p, outcomes) {
			info.Problems = append(info.Problems, p)
		}
	}
	return info
}

func aboutOutcome(problem string, outcomes []spec.Outcome) bool {
	for _, o := range outcomes {
		if strings.HasPrefix(problem, "case "+o.ID+" ") {
			return true
		}
	}
	return false
}

func contains(list []string, s string) bool {
	for _, l := range list {
		if l == s {
			return true
		}
	}
	return false
}
