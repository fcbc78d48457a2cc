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

	"k8s.io/apimachinery/pkg/util/version"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/diff"
	"github.com/dra-conformance/dratest/reports/schema"
)

// Rules are what the reports of an engine are held against.
type Rules struct {
	// Required are the cases required by this version of dratest.
	Required []schema.RequiredCase
	// Certificate makes the certificate of a directory anew; nil for engines without one.
	Certificate func(dir fs.FS, required []schema.RequiredCase, r schema.Report, was schema.Certificate) (schema.Certificate, error)
}

// Directory verifies the report in a directory by the rules of its engine. Reasons say why it
// does not hold, one per line; without any it does. Errors: there is no conformance report, or
// it is of another version of the schema (schema.ErrOtherVersion), so that nothing can be said.
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
		return c, []string{fmt.Sprintf("%s cannot be read: %v", reports.ConformanceFile, err)}, nil
	}
	rules, ok := engines[cmp.Or(c.Engine, schema.EngineRun)]
	if !ok {
		return c, []string{fmt.Sprintf("%s: its engine is %q, unknown to this dratest", reports.ConformanceFile, c.Engine)}, nil
	}
	v := &verification{dir: dir, conformance: c, rules: rules, known: rules.Required}
	v.required()
	v.files()
	v.contents()
	return c, v.reasons, nil
}

// verification is one that goes on.
type verification struct {
	dir         fs.FS
	conformance schema.ConformanceReport
	rules       Rules
	known       []schema.RequiredCase
	reasons     []string
}

func (v *verification) refuse(format string, args ...any) {
	v.reasons = append(v.reasons, fmt.Sprintf(format, args...))
}

// required holds the list of cases against the one that is known.
func (v *verification) required() {
	c, digest := v.conformance, schema.RequiredDigest(v.known)
	if c.Suite.RequiredCases != digest {
		v.refuse("%s: its suite requires other cases (%s, version %s) than this dratest (%s): verify with the dratest that wrote it; if that is this one, the list was changed",
			reports.ConformanceFile, c.Suite.RequiredCases, c.Suite.Version, digest)
	}
	list := make([]schema.RequiredCase, 0, len(c.Cases))
	for _, each := range c.Cases {
		list = append(list, each.RequiredCase)
	}
	v.compare(reports.ConformanceFile+": list of required cases", "this dratest requires", list, v.known)
}

// compare refuses each field in which what was found is not what it should be.
func (v *verification) compare(where, source string, found, should any) {
	differences, err := diff.Fields(found, should)
	if err != nil {
		v.refuse("%s: %v", where, err)
	}
	for _, d := range differences {
		v.refuse("%s: %s is %s, and %s %s", where, d.Path, shown(d.A), source, shown(d.B))
	}
}

// shown is a value in a sentence.
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

// contents holds what the files say against each other.
func (v *verification) contents() {
	r, ok := v.report()
	if !ok {
		return
	}
	j, ok := v.journal()
	if !ok {
		return
	}
	if v.ran() {
		v.begun(r, j)
	}
	v.levels(r)
	outcomes := v.outcomes(r, j)
	should := reports.Build(planOf(r), outcomes, infoOf(r, j.outcomes))
	for i := range should.Cases { // they follow from what the cases need, which no file has
		should.Cases[i].Labels = r.Cases[i].Labels
	}
	v.compare(reports.JSONFile, reports.JournalFile+" makes it", r, should)
	for _, p := range j.problems {
		if !contains(r.Problems, p) {
			v.refuse("%s: it has not the problem that %s has: %s", reports.JSONFile, reports.JournalFile, p)
		}
	}
	c := v.conformance
	v.compare(reports.ConformanceFile, "the other files make it", c, reports.Conformance(r, j.outcomes, reports.Facts{
		Implementation: c.Implementation, Engine: c.Engine, Certificate: v.certificate(r), Command: c.Run.Command,
		Binary: c.Suite.Binary, Required: v.known, Files: listed(c),
	}))
	v.rendered(r)
	v.log(r, j)
	v.evidence(r)
}

func (v *verification) report() (schema.Report, bool) {
	data, err := fs.ReadFile(v.dir, reports.JSONFile)
	if err != nil {
		return schema.Report{}, false // files has said so
	}
	r, err := schema.Decode(data)
	if err != nil {
		v.refuse("%s cannot be read: %v", reports.JSONFile, err)
		return r, false
	}
	return r, true
}

// levels refuses requirements that are less binding, and excuses that are others, than
// the list of required cases has.
func (v *verification) levels(r schema.Report) {
	for _, c := range r.Cases {
		var metas []spec.Meta
		for _, k := range v.known {
			if k.ID != c.ID {
				continue
			}
			meta := spec.Meta{ID: c.ID, KnownIssue: c.KnownIssue}
			for _, id := range c.Requirements {
				meta.Requires = append(meta.Requires, id.ID)
			}
			metas = append(metas, meta)
			if c.SkipCode == spec.SkipFeature && len(k.Features) == 0 {
				v.refuse("%s: case %s is left out with %s, and needs no feature", reports.JSONFile, c.ID, c.SkipCode)
			}
			if c.SkipCode == spec.SkipDriver && !k.Installed {
				v.refuse("%s: case %s is left out with %s, and needs no driver of a vendor", reports.JSONFile, c.ID, c.SkipCode)
			}
			if c.SkipCode == spec.SkipVersion && !older(r.Cluster.Kubernetes, k.Since) {
				v.refuse("%s: case %s is left out with %s, and the cluster has %s", reports.JSONFile, c.ID, c.SkipCode, r.Cluster.Kubernetes)
			}
			has := schema.Required(metas, c.Requirements)[0]
			has.Features, has.Since, has.Installed = k.Features, k.Since, k.Installed
			has.DriverProfile, has.DriverFeatures = k.DriverProfile, k.DriverFeatures
			if c.KnownIssue == nil {
				has.KnownIssue = k.KnownIssue
			}
			v.compare(fmt.Sprintf("%s: case %s", reports.JSONFile, c.ID), "this dratest requires", has, k)
		}
		if len(metas) == 0 {
			v.refuse("%s: case %s is none of this suite", reports.JSONFile, c.ID)
		}
	}
}

// older says whether a version of Kubernetes is from before a release.
func older(kubernetes, release string) bool {
	have, err := version.ParseGeneric(kubernetes)
	if err != nil {
		return false
	}
	need, err := version.ParseGeneric(release)
	return err == nil && have.LessThan(need)
}

// planOf is the plan that a report tells about.
func planOf(r schema.Report) spec.Plan {
	c := r.Cluster
	plan := spec.Plan{Target: spec.Target{
		Server: c.Server, Kubernetes: c.Kubernetes, ResourceAPIs: c.ResourceAPIs, Components: c.Components, Stack: c.Stack,
		Running: c.Running, Nodes: c.Nodes, Gates: c.Gates, GatesUnseen: c.GatesUnseen, Observed: c.Observed,
	}}
	for _, rc := range r.Cases {
		e := spec.Entry{Meta: spec.Meta{ID: rc.ID, Checks: rc.Checks, WaitsFor: rc.WaitsFor, KnownIssue: rc.KnownIssue}}
		for _, requirement := range rc.Requirements {
			e.Meta.Requires = append(e.Meta.Requires, requirement.ID)
		}
		if rc.SkipCode != "" {
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
	// Those about outcomes without a case are found again.
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
