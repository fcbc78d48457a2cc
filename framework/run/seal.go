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
	"time"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/run/journal"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/profile"
	"github.com/dra-conformance/dratest/reports/schema"
	"github.com/dra-conformance/dratest/reports/sign"
)

// seal writes the conformance report for the files in the report directory, and signs it.
func seal(ctx context.Context, parts Parts, o Options, report schema.Report, outcomes []spec.Outcome, f reports.Facts) error {
	f.Implementation, f.Command, f.Required = o.Identity, o.Command, schema.Required(parts.Metas(), parts.Requirements)
	f.Engine = parts.engine()
	dir, err := o.absolute()
	if err != nil {
		return err
	}
	return sign.Seal(context.WithoutCancel(ctx), dir, report, outcomes, f, o.Signer)
}

// engine is the engine with the parts.
func (p Parts) engine() schema.Engine {
	if p.DriverUnderTest != nil {
		return schema.EngineCertify
	}
	return schema.EngineRun
}

// judged is a report with the verdict on its conformance profile, or on a selection of cases.
func judged(parts Parts, provider string, report schema.Report) schema.Report {
	target := spec.ClusterTarget
	switch {
	case parts.DriverUnderTest != nil:
		target = spec.DriverTarget
	case provider == clusters.ProviderControlPlane:
		target = spec.ControlPlaneTarget
	}
	required := schema.Required(parts.Metas(), parts.Requirements)
	return reports.Judge(report, profile.Run(target, report.Selection, parts.engine(), required), required)
}

// Certify seals the report of a run again, with a certificate and further files of the report directory. The options
// are those of the run.
func Certify(ctx context.Context, parts Parts, o Options, report schema.Report, certificate schema.Certificate) error {
	o = o.withDefaults(report.Started)
	records, err := journal.Follow(o.ReportDir).Next()
	if err != nil {
		return fmt.Errorf("seal the certificate: %w", err)
	}
	var outcomes []spec.Outcome
	for _, r := range records {
		if r.Outcome != nil {
			outcomes = append(outcomes, *r.Outcome)
		}
	}
	report = reports.Certified(report, certificate)
	if err := reports.Write(o.ReportDir, report); err != nil {
		return err
	}
	return seal(ctx, parts, o, report, outcomes, reports.Facts{Certificate: &certificate})
}

// Unstarted writes the report of a run that could not start its cases, all of them blocked.
func Unstarted(parts Parts, o Options, target spec.Target, why error) (schema.Report, error) {
	now := time.Now()
	o = o.withDefaults(now)
	metas, err := selected(parts, o.Filter)
	if err != nil {
		return schema.Report{}, errors.Join(why, err)
	}
	p := spec.Plan{Target: target}
	for _, m := range metas {
		p.Entries = append(p.Entries, spec.Entry{Meta: m})
	}
	report := judged(parts, testbed.Existing, reports.Build(p, nil, reports.Info{
		Suite: reports.SuiteVersion(), Provider: testbed.Existing, Driver: o.Driver, Selection: o.selection(), Requirements: parts.Requirements,
		Seed: o.Seed, Started: now, Ended: now, EndedEarly: why.Error(),
	}))
	return report, reports.Write(o.ReportDir, report)
}
