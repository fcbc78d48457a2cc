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

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/dra-conformance/dratest/framework/run/console"
	"github.com/dra-conformance/dratest/framework/run/journal"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/schema"
	"github.com/dra-conformance/dratest/reports/sign"
	"github.com/dra-conformance/dratest/suites/requirements"
	"github.com/dra-conformance/dratest/suites/sanity"
)

// checkDriver runs the checks, prints them and writes their report into dir.
func checkDriver(ctx context.Context, out io.Writer, dir string, target spec.Target, access sanity.NodeAccess, o sanity.Options, identity schema.Implementation, signer sign.Signer) (report schema.Report, err error) {
	_, _ = fmt.Fprintf(out, "%d checks of driver %s on node %s, Kubernetes %s\n\n", len(sanity.Metas()), o.Driver, o.Node, target.Kubernetes)
	started := time.Now()
	lines := console.New(out, dir, len(sanity.Metas()), 1, started)
	o.Ended = func(outcome spec.Outcome, _ []string) {
		lines.Show(time.Now(), journal.Record{Progress: spec.Progress{Time: time.Now(), ID: outcome.ID, Outcome: &outcome}})
	}
	outcomes, err := sanity.Run(ctx, access, o)
	lines.Close()
	if len(outcomes) == 0 && err != nil {
		return report, err
	}
	report = sanityReport(target, outcomes, o.Driver, started, problems(outcomes, err))
	if reportErr := sealSanity(ctx, dir, report, outcomes, identity, signer); reportErr != nil {
		return report, errors.Join(err, reportErr)
	}
	console.Summary(out, report, dir)
	return report, err
}

// sealSanity writes the files of a report directory and signs them if there is a signer.
func sealSanity(ctx context.Context, dir string, r schema.Report, outcomes []spec.Outcome, identity schema.Implementation, signer sign.Signer) error {
	w, err := journal.Append(dir)
	if err != nil {
		return err
	}
	err = w.Write(journal.Record{Progress: spec.Progress{Time: r.Started}, Run: &journal.Run{Suite: r.Suite, Kubernetes: r.Cluster.Kubernetes, Selection: r.Selection}})
	for _, problem := range r.Problems {
		err = errors.Join(err, w.Write(journal.Record{Problem: problem}))
	}
	for _, o := range outcomes {
		err = errors.Join(err, w.Write(journal.Record{Progress: spec.Progress{Time: o.Started.Add(o.Duration), ID: o.ID, Outcome: &o}}))
	}
	if err := errors.Join(err, w.Close(), reports.Write(dir, r)); err != nil {
		return err
	}
	return sign.Seal(context.WithoutCancel(ctx), dir, r, outcomes, reports.Facts{
		Engine: schema.EngineSanity, Implementation: identity, Command: os.Args, Required: schema.Required(sanity.Metas(), requirements.All()),
	}, signer)
}

// problems are reasons for an incomplete verdict besides blocked checks: an error, and basic checks that did not run.
func problems(outcomes []spec.Outcome, err error) (all []string) {
	if err != nil {
		all = append(all, err.Error())
	}
	for _, o := range outcomes {
		if o.Status == spec.NotApplicable && slices.Contains(spec.BasicContract(), o.ID) {
			all = append(all, fmt.Sprintf("too little was checked: %s did not run: %s", o.ID, o.Reason))
		}
	}
	return all
}

func sanityReport(target spec.Target, outcomes []spec.Outcome, driver string, started time.Time, problems []string) schema.Report {
	plan := spec.Plan{Target: target}
	for _, meta := range sanity.Metas() {
		plan.Entries = append(plan.Entries, spec.Entry{Meta: meta})
	}
	info := reports.Info{
		Suite: reports.SuiteVersion(), Provider: testbed.Existing, Driver: schema.Driver{Name: driver}, Selection: schema.Selection{Parallel: 1},
		Requirements: requirements.All(), Started: started, Ended: time.Now(), Problems: problems,
	}
	return reports.Build(plan, outcomes, info)
}
