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
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"
	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/run/journal"
	"github.com/dra-conformance/dratest/framework/spec"
)

const suiteDescription = "dratest"

// runSession is the suite of a process started by Run's Ginkgo.
func runSession(ctx context.Context, t ginkgo.GinkgoTestingT, parts Parts, session Session) {
	gomega.RegisterFailHandler(ginkgo.Fail)
	w, err := journal.Append(session.ReportDir)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		t.Fail()
		return
	}
	defer func() { _ = w.Close() }()
	env, err := session.env(ctx, parts.Parts, w)
	if err != nil {
		report(w, err.Error())
		t.Fail()
		return
	}
	parts.register(session.plannedCases(parts.Cases), func() *harness.Env { return env })
	ginkgo.ReportAfterSuite("dratest", func(r types.Report) {
		c := &collector{reader: journal.Follow(session.ReportDir), show: func(time.Time, journal.Record) {}}
		c.read(time.Now())
		for _, p := range unaccounted(r, c.outcomes) {
			report(w, p)
		}
	})
	ginkgo.RunSpecs(t, suiteDescription)
}

func report(w *journal.Writer, problem string) {
	if err := w.Write(journal.Record{Problem: problem}); err != nil {
		fmt.Fprintln(os.Stderr, problem, err)
	}
}

// unaccounted returns Ginkgo's failures missing in the journal, so a report never looks better than Ginkgo's.
func unaccounted(r types.Report, outcomes []spec.Outcome) []string {
	status := map[string]spec.Status{}
	for _, o := range outcomes {
		status[o.ID] = o.Status
	}
	var problems []string
	for _, s := range r.SpecReports {
		id, _, _ := strings.Cut(s.LeafNodeText, " ")
		switch {
		case !s.Failed():
		case s.LeafNodeType != types.NodeTypeIt:
			problems = append(problems, fmt.Sprintf("%s failed: %s", s.LeafNodeType, s.FailureMessage()))
		case status[id].Ended(), status[id] == spec.NotApplicable:
			problems = append(problems, fmt.Sprintf("case %s failed after it had ended: %s", id, s.FailureMessage()))
		}
	}
	return problems
}
