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
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/reporters"
	"github.com/onsi/ginkgo/v2/types"
	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/plan"
	"github.com/dra-conformance/dratest/framework/run/journal"
	"github.com/dra-conformance/dratest/framework/testbed"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/schema"
)

// setupTime bounds everything before the first case, including the build of a node image.
const setupTime = 45 * time.Minute

// Suite runs the cases as a Ginkgo suite of a Go test, under "go test" or "ginkgo -p". Ginkgo's own flags select the
// cases; Parallel, Seed, Timeout, FailFast and Filter of the options are ignored. The first process brings the
// cluster up for all, writes the report and removes the cluster.
func Suite(t ginkgo.GinkgoTestingT, parts Parts, o Options) {
	gomega.RegisterFailHandler(ginkgo.Fail)
	config, _ := ginkgo.GinkgoConfiguration()
	o.Parallel, o.Seed = config.ParallelTotal, config.RandomSeed
	o.Filter = plan.Filter{Focus: config.FocusStrings, Skip: config.SkipStrings, Labels: config.LabelFilter}
	s := &plainSuite{run: running{parts: parts, options: o.withDefaults(time.Now())}}
	parts.register(parts.Cases, func() *harness.Env { return s.env })
	ginkgo.SynchronizedBeforeSuite(s.setUp, s.connect, ginkgo.NodeTimeout(setupTime))
	ginkgo.SynchronizedAfterSuite(func() {}, s.tearDown, ginkgo.NodeTimeout(2*testbed.CleanupTime))
	ginkgo.ReportAfterSuite("dratest", s.report)
	ginkgo.RunSpecs(t, suiteDescription)
}

// plainSuite is one process of such a suite; the first one does the run.
type plainSuite struct {
	run    running
	env    *harness.Env
	unlock func()
	// monitoring runs in the first process.
	monitoring *monitoring
}

// setUp runs in the first process and returns the session for all.
func (s *plainSuite) setUp(ctx ginkgo.SpecContext) []byte {
	s.run.started = time.Now()
	session, err := s.prepare(ctx)
	if err != nil {
		ginkgo.Fail(err.Error())
	}
	data, err := json.Marshal(session)
	if err != nil {
		ginkgo.Fail(err.Error())
	}
	return data
}

func (s *plainSuite) prepare(ctx context.Context) (session Session, err error) {
	r := &s.run
	if r.dir, err = r.options.absolute(); err != nil {
		return session, err
	}
	if s.unlock, err = reports.Lock(r.dir); err != nil {
		return session, err
	}
	if err := r.Clean(); err != nil {
		return session, err
	}
	if err := r.Prepare(ctx); err != nil {
		return session, err
	}
	if err := r.begin(); err != nil {
		return session, err
	}
	// It must outlive this node's context.
	s.monitoring, err = r.monitor(context.WithoutCancel(ctx))
	return r.session(r.plan), err
}

// connect runs in all processes.
func (s *plainSuite) connect(ctx ginkgo.SpecContext, data []byte) {
	var session Session
	err := json.Unmarshal(data, &session)
	if err != nil {
		ginkgo.Fail(err.Error())
	}
	w, err := journal.Append(session.ReportDir)
	if err != nil {
		ginkgo.Fail(err.Error())
	}
	ginkgo.DeferCleanup(w.Close)
	// The connection must outlive this node's context.
	if s.env, err = session.env(context.WithoutCancel(ctx), s.run.parts.Parts, w); err != nil {
		ginkgo.Fail(err.Error())
	}
}

// tearDown runs in the first process when all others have ended.
func (s *plainSuite) tearDown(ctx ginkgo.SpecContext) {
	s.run.again = ctx.Done()
	var err error
	if s.monitoring != nil {
		err = s.monitoring.close(ctx)
	}
	if err := errors.Join(err, s.run.Close(ctx)); err != nil {
		ginkgo.Fail(err.Error())
	}
}

// report runs in the first process, last of all.
func (s *plainSuite) report(r types.Report) {
	if s.unlock != nil {
		defer s.unlock()
	}
	if s.run.plan.Entries == nil {
		return
	}
	c := &collector{reader: journal.Follow(s.run.dir), show: func(time.Time, journal.Record) {}}
	now := time.Now()
	c.read(now)
	for _, p := range unaccounted(r, c.outcomes) {
		c.problem(now, p)
	}
	endedEarly := ""
	if len(r.SpecialSuiteFailureReasons) > 0 {
		endedEarly = fmt.Sprint(r.SpecialSuiteFailureReasons)
	}
	c.finish(now, endedEarly)
	if err := writeLog(filepath.Join(s.run.dir, logFile), r); err != nil {
		ginkgo.Fail(err.Error())
	}
	report, err := s.run.write(context.Background(), c.outcomes, s.run.info(c, endedEarly))
	if err != nil {
		ginkgo.Fail(err.Error())
	}
	s.run.Print(report)
	// Ginkgo accepts an incomplete run, and one without any case.
	if r.SuiteSucceeded && report.Summary.Verdict != schema.Passed {
		ginkgo.Fail(fmt.Sprintf("the run's verdict is %s; see %s in %s", report.Summary.Verdict, reports.MarkdownFile, s.run.dir))
	}
}

// writeLog writes what Ginkgo's command prints in a run of dratest: here its output goes to the user.
func writeLog(path string, r types.Report) error {
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("write Ginkgo's output: %w", err)
	}
	out := reporters.NewDefaultReporter(types.ReporterConfig{NoColor: true, Verbose: true, SilenceSkips: true}, f)
	out.SuiteWillBegin(r)
	for _, s := range r.SpecReports {
		s.RunningInParallel = true // in one process, the steps would be printed before
		out.DidRun(s)
	}
	out.SuiteDidEnd(r)
	return f.Close()
}
