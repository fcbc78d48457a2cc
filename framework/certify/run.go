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

package certify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/dra-conformance/dratest/drivers/declarations"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/plan"
	"github.com/dra-conformance/dratest/framework/run"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/schema"
)

// Options configure a certification. Run configures the cluster, the report directory and so on; its Kubeconfig is
// required, or InCluster, its Cluster must be empty, and its Filter prevents certification.
type Options struct {
	Declaration declarations.Declaration
	Run         run.Options
	// Cluster is the name of a cluster created by dratest, for hooks.
	Cluster string
	// Install runs the hook install first, and uninstall at the end.
	Install bool
	// Contract has the checks of the plugin API.
	Contract Contract
	// Load is the optional profile load.
	Load Load
	// Removable allows cases to uninstall the driver without Install.
	Removable bool
	// Timings is the directory with the durations of earlier certifications, for the estimate; empty for none.
	Timings string
}

// Cases returns the driver-independent cases.
func Cases(all []harness.Case) []harness.Case {
	return slices.DeleteFunc(slices.Clone(all), func(c harness.Case) bool { return c.Needs.Devices == 0 })
}

// Run certifies a driver and seals its certificate with the report of its cases. Errors are ErrDriver if the driver
// does not work at all (a verdict), else ErrNotThere and those of run.Run (no certification); the certificate is zero
// if they left no report.
func Run(ctx context.Context, parts run.Parts, o Options) (result schema.Certificate, err error) {
	if err := checkExceptions(o, parts.Cases); err != nil {
		return result, err
	}
	o.Run.ReportDir = reports.Dir(o.Run.ReportDir)
	if o.Run.Again == "" {
		if err := errors.Join(reports.RemoveEnd(o.Run.ReportDir), withoutLoad(o.Run.ReportDir)); err != nil {
			return result, err
		}
	}
	o.Run.Identity, o.Run.PodTemplate = o.identity(), o.Declaration.Workload.Template
	c, parts := certification(parts, o)
	unsigned := o.Run // until there is a certificate
	unsigned.Signer = nil
	started, ran := time.Now(), false
	report, err := o.between(ctx, func() (schema.Report, error) {
		ran = true
		report, err := run.Run(ctx, parts, unsigned)
		if c.looked && chosenBy(report) == "" { // a resumed run has the earlier filter
			c.vendorCases = o.vendorCases(ctx)
			began := time.Now()
			c.loaded = o.load(ctx)
			c.estimated = c.estimated.Add(time.Since(began))
		}
		return report, err
	}, func() error {
		if !c.looked {
			return nil // the driver's nodes are unknown
		}
		leftovers, err := c.findLeftovers(ctx, parts, o)
		c.uninstalled(leftovers)
		return err
	})
	if report.SchemaVersion == "" {
		switch {
		case !ran:
			return result, errors.Join(err, reports.WriteError(o.Run.ReportDir, started, err))
		case !errors.Is(err, ErrDriver):
			return result, err
		}
		// No case has run because of the driver.
		var unwritten error
		if report, unwritten = run.Unstarted(parts, o.Run, c.target, err); unwritten != nil {
			return result, errors.Join(err, unwritten)
		}
	}
	if c.timings != "" && o.Run.Again == "" && ctx.Err() == nil {
		if failed := readTimings(c.timings).learn(c.timings, report, time.Since(c.estimated)); failed != nil {
			_, _ = fmt.Fprintln(o.Run.Out, failed)
		}
	}
	result = certificate(c.facts(report, err), o.Run.Identity, images(c.pods))
	if failed := write(o.Run.ReportDir, result, o.Declaration); failed != nil {
		return result, errors.Join(err, failed)
	}
	err = errors.Join(err, run.Certify(ctx, parts, o.Run, report, result))
	printVerdict(o.Run.Out, result, o.Declaration, filepath.Join(o.Run.ReportDir, reports.CertificateFile))
	return result, err
}

// facts returns the results of a certification, given the report and the final error of its cases.
func (c *running) facts(report schema.Report, err error) facts {
	seen := schema.Observations{Failures: slices.Concat(c.observation.short, c.leftovers), Changes: slices.Clone(c.changes), Notes: slices.Concat(c.deployment, c.notes), VendorCases: c.vendorCases, Load: c.loaded}
	for _, feature := range spec.DriverFeatures() {
		if c.observed[feature] {
			seen.Features = append(seen.Features, feature)
		}
	}
	if !c.replaced && !c.restarted(report) {
		seen.Failures, seen.Changes = append(seen.Failures, c.restarts...), append(seen.Changes, c.renewals...)
	}
	switch {
	case errors.Is(err, ErrDriver):
		seen.Failures = append(seen.Failures, err.Error())
	case err != nil:
		seen.Missing = append(seen.Missing, err.Error())
	}
	if slices.ContainsFunc(report.Cases, func(r schema.Case) bool { return r.SkipCode == spec.SkipDevices }) {
		for _, held := range c.observation.held {
			seen.Missing = append(seen.Missing, held+": wait until it is free, or certify where nobody uses the driver")
		}
	}
	if len(c.pods) == 0 {
		seen.Missing = append(seen.Missing, "deploy.daemonSet is not declared, or has no pods: whether the driver was restarted is not known")
	}
	if c.declaration.Hooks.Upgrade.IsZero() {
		seen.Notes = append(seen.Notes, "no upgrade from another version was tested: hooks.upgrade is not declared")
	}
	if c.loaded == nil {
		seen.Notes = append(seen.Notes, notUnderLoad)
	}
	if !c.looked {
		seen.Missing = append(seen.Missing, "the cluster was not looked at after the cases: what was left behind, and whether the driver was restarted, is not known")
	}
	return facts{declaration: c.declaration, report: report, cases: schema.Required(c.metas, c.requirements), seen: seen}
}

// notUnderLoad is the note on a certificate without profile load.
const notUnderLoad = "the driver was not tested under load: the profile load is optional (--load)"

// DryRun prints Run's actions without performing them. Errors are those of Run.
func DryRun(ctx context.Context, parts run.Parts, o Options) error {
	o.Run.PodTemplate = o.Declaration.Workload.Template
	c, parts := certification(parts, o)
	c.dry = true
	_, err := run.DryRun(ctx, parts, o.Run)
	return err
}

// ErrDeclaration means that the declaration refers to something missing.
var ErrDeclaration = errors.New("the declaration is wrong")

func checkExceptions(o Options, all []harness.Case) error {
	var errs []error
	metas := append(run.Metas(Cases(all)), o.Contract.Metas...)
	for _, e := range o.Declaration.Excepted {
		if !slices.ContainsFunc(metas, func(m spec.Meta) bool { return m.ID == e.Case }) {
			errs = append(errs, fmt.Errorf("%w: exceptions: there is no case %q for drivers; `dratest certify --list` has all", ErrDeclaration, e.Case))
		}
	}
	return errors.Join(errs...)
}

type running struct {
	declaration  declarations.Declaration
	out          io.Writer
	image        string
	reportDir    string
	parallel     int
	dry          bool
	metas        []spec.Meta
	requirements []spec.Requirement
	hooks        map[spec.HookName]spec.Hook
	// removable reports whether cases may uninstall the driver.
	removable bool
	filter    plan.Filter
	// timings is the file with the driver's timings.
	timings string

	target      spec.Target
	leftOut     map[string]string // why nodes are not used
	observation observation
	pods        []corev1.Pod
	observed    map[spec.DriverFeature]bool
	before      snapshot
	leftovers   []string
	changes     []string
	renewals    []string // explained by a restart of the driver
	notes       []string
	// deployment has warnings about the daemon set.
	deployment  []string
	vendorCases []schema.VendorCase
	// loaded is the result of profile load, nil if it was not requested.
	loaded   *schema.Load
	loadTime time.Duration
	restarts []string
	// estimated is the time of the estimate; time under load moves it.
	estimated time.Time
	// replaced reports whether contract checks have replaced the driver's processes.
	replaced bool
	// looked reports whether After has completed.
	looked bool
}

var _ run.DriverUnderTest = (*running)(nil)

func certification(parts run.Parts, o Options) (*running, run.Parts) {
	parts.Cases = Cases(parts.Cases)
	c := &running{declaration: o.Declaration, out: o.Run.Out, image: cmp.Or(o.Declaration.Workload.Image, o.Run.PodImage), reportDir: o.Run.ReportDir, parallel: o.Run.Parallel, requirements: parts.Requirements, hooks: o.hooks(), removable: o.Install || o.Removable, filter: o.Run.Filter}
	if o.Load.Run != nil {
		c.loadTime = o.Load.Duration
	}
	if o.Timings != "" {
		c.timings = filepath.Join(o.Timings, c.declaration.Driver+".json")
	}
	parts.DriverUnderTest, parts.Checks = c, c.checks(o.Contract)
	c.metas = parts.Metas()
	return c, parts
}

// restarted reports whether cases have stopped the driver's processes themselves. A case fails on an unexpected exit
// while it runs; a blocked one guarantees nothing.
func (c *running) restarted(report schema.Report) bool {
	return slices.ContainsFunc(report.Cases, func(r schema.Case) bool {
		return r.Status != spec.NotApplicable && r.Status != spec.Blocked && slices.ContainsFunc(c.metas, func(m spec.Meta) bool { return m.ID == r.ID && m.Needs.DriverPods })
	})
}

// Find finds the driver and prints the preflight screen.
func (c *running) Find(ctx context.Context, b *testbed.Testbed) (spec.DriverUnderTest, error) {
	s, slowest, err := c.find(ctx, b)
	if err != nil {
		return s, err
	}
	target := b.Target
	target.DriverUnderTest = &s
	p, err := plan.Build(c.metas, target, c.filter)
	if err != nil {
		return s, err
	}
	c.estimated = time.Now()
	estimate := readTimings(c.timings).estimate(p, c.parallel, slowest)
	if c.loadTime > 0 {
		estimate += fmt.Sprintf(", then %s under load", c.loadTime)
	}
	printPreflight(c.out, c.declaration, c.observation, p, c.parallel, estimate)
	return s, nil
}

// find waits until the driver has published its slices, and tries it on each node; slowest is the slowest pod.
func (c *running) find(ctx context.Context, b *testbed.Testbed) (s spec.DriverUnderTest, slowest time.Duration, err error) {
	if c.leftOut, err = tolerate(ctx, b, c.declaration); err != nil {
		return s, 0, err
	}
	c.target = b.Target
	w, err := c.await(ctx, b)
	if err != nil {
		return s, 0, err
	}
	c.pods, c.observed = w.pods, c.observation.observed
	if c.deployment, err = deployment(ctx, b.Client, w.daemonSet, c.observation.nodes()); err != nil {
		return s, 0, err
	}
	s = c.observation.driverUnderTest(c.declaration, w)
	if s.Configs, _, err = c.declaration.Config.Encoded(); err != nil {
		return s, 0, err
	}
	s.Hooks, s.Removable = c.hooks, c.removable
	if s.Build, err = build(c.declaration, images(c.pods)); err != nil {
		return s, 0, err
	}
	for _, node := range s.Nodes {
		if c.dry || c.observation.free[node] == 0 {
			continue
		}
		result, err := try(ctx, b.Client, s, node, c.image, cmp.Or(c.declaration.Limits.Prepare, spec.DefaultPrepare))
		if err != nil {
			return s, slowest, err
		}
		slowest = max(slowest, result.took)
		maps.Copy(c.observed, result.observed)
	}
	s.Features = has(c.declaration.Features, c.observed)
	return s, slowest, nil
}

// await polls while the driver may still be about to publish.
func (c *running) await(ctx context.Context, b *testbed.Testbed) (world, error) {
	var w world
	var seen error
	limit := cmp.Or(c.declaration.Limits.Republish, spec.DefaultRepublish)
	err := wait.PollUntilContextTimeout(ctx, time.Second, limit, true, func(ctx context.Context) (bool, error) {
		now, err := discover(ctx, b.Client, c.declaration, b.Target.Workers())
		if err != nil {
			return false, err // half of a world, as when the time is up, is none
		}
		now.leftOut = c.leftOut
		for node := range c.leftOut {
			delete(now.nodes, node)
		}
		w = now
		c.observation, seen = newObservation(ctx, c.declaration, w)
		// A driver not installed now will not be in half a minute.
		return seen == nil && len(c.observation.short) == 0 || len(w.slices) == 0 && w.daemonSet == nil, nil
	})
	if ctx.Err() != nil {
		return w, context.Cause(ctx) // the observations so far are inconclusive
	}
	if seen != nil || err != nil && (!wait.Interrupted(err) || len(c.observation.nodes()) == 0) {
		return w, cmp.Or(seen, err)
	}
	return w, nil // perhaps with fewer devices than declared, as reported
}

// Before takes a snapshot of everything else.
func (c *running) Before(ctx context.Context, b *testbed.Testbed) (err error) {
	c.before, err = take(ctx, b, c.declaration, c.observation.nodes())
	return err
}

// After compares the snapshots, and inspects the driver's own pods.
func (c *running) After(ctx context.Context, b *testbed.Testbed) error {
	after, err := take(ctx, b, c.declaration, c.observation.nodes())
	if err != nil {
		return err
	}
	c.leftovers, c.changes, c.renewals = changes(c.before, after)
	for _, was := range c.pods {
		is, err := b.Client.CoreV1().Pods(was.Namespace).Get(ctx, was.Name, metav1.GetOptions{})
		switch {
		case apierrors.IsNotFound(err):
			c.restarts = append(c.restarts, fmt.Sprintf("the driver's pod %s/%s on node %s is gone", was.Namespace, was.Name, was.Spec.NodeName))
		case err != nil:
			return fmt.Errorf("look at the driver's pod %s/%s after the cases: %w", was.Namespace, was.Name, err)
		case restarts(*is) > restarts(was):
			c.restarts = append(c.restarts, fmt.Sprintf("the driver's pod %s/%s on node %s was restarted %d time(s) during the run", was.Namespace, was.Name, was.Spec.NodeName, restarts(*is)-restarts(was)))
		}
	}
	c.looked = true
	return nil
}
