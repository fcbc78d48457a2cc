package components

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

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
// by nothing happening, which would take each case's two minutes.
const (
	caseLimit       = 30 * time.Second
	simulationLimit = 15 * time.Second
	// tidyTime bounds Tidy, which also goes on when a proof is interrupted.
	tidyTime = time.Minute
)

// Trial is a mutant as a trial of a proof: the cases that claim one of the requirements
// that it breaks may notice, and one of them must.
func (m Mutant) Trial(metas []spec.Meta) prove.Trial {
	t := prove.Trial{ID: m.ID, What: m.What}
	for _, meta := range metas {
		if slices.ContainsFunc(m.Requires, func(id spec.RequirementID) bool { return slices.Contains(meta.Requires, id) }) {
			t.Must = append(t.Must, meta.ID)
		}
	}
	return t
}

// Provider makes clusters whose components run on nodes, or as processes.
type Provider interface {
	clusters.Opener
	ControlPlane
}

// Prover breaks the components of one cluster, which were built with Overlay.
type Prover struct {
	Parts   run.Parts
	Options run.Options
	Bed     *testbed.Testbed
	// Provider has made the cluster.
	Provider Provider

	switcher switcher
	// sound are the cases that passed when they last ran without any mutant.
	sound map[string]bool
}

// Try turns a mutant on, runs the cases that may notice, and turns it off. All those run
// that have noticed nothing yet; where none of them notices this one, the others run until
// one does. A case that fails without a mutant, too, has noticed nothing, and nothing is
// known of a mutant that ends its component.
func (p *Prover) Try(ctx context.Context, m Mutant, t prove.Trial, dir string) (f prove.Finding, err error) {
	if err := p.prepare(ctx); err != nil {
		return f, err
	}
	with, crashed, err := p.broken(ctx, m, t, filepath.Join(dir, "with"))
	if err := errors.Join(err, Tidy(ctx, p.Bed.Client)); err != nil {
		return f, err
	}
	if crashed && !restarting(run.Metas(p.Parts.Cases), with) {
		return prove.Finding{Problem: crash}, nil
	}
	f = Judge(with)
	doubt := Doubtful(f, with, p.sound)
	f, doubt = believe(f, with, doubt, t.Quiet)
	if len(doubt) == 0 {
		return f, nil
	}
	without, err := p.run(ctx, doubt, false, filepath.Join(dir, "without"))
	if err != nil {
		return f, err
	}
	for _, c := range without.Cases {
		p.sound[c.ID] = Holds(c.Status)
	}
	return Confirm(f, with, without), Tidy(ctx, p.Bed.Client)
}

// crash is why nothing is known of a mutant whose component has ended with it.
const crash = "the mutant crashes its component: a mutant must not; --only leaves one out"

// broken runs cases while a mutant is on, and tells whether the component's processes are
// others afterwards. Of programs that cases start it does not.
func (p *Prover) broken(ctx context.Context, m Mutant, t prove.Trial, dir string) (r schema.Report, crashed bool, err error) {
	if !m.ofCluster() {
		r, err = p.told(ctx, m, t, dir)
		return r, false, err
	}
	if err := turn(ctx, p.switcher, m.Component(), m.ID); err != nil {
		return r, false, err
	}
	program := programOf(m.Component())
	before, err := p.switcher.processes(ctx, program)
	if err == nil {
		r, err = p.inTurn(ctx, t, dir)
	}
	always := context.WithoutCancel(ctx)
	after, lookErr := p.switcher.processes(always, program)
	crashed = lookErr == nil && before != after
	offErr := turn(always, p.switcher, m.Component(), "")
	if offErr != nil && crashed {
		offErr = fmt.Errorf("%s: %w", crash, offErr)
	}
	return r, crashed, errors.Join(err, lookErr, offErr)
}

// inTurn runs the cases of a trial one half after the other, with their reports in dir.
func (p *Prover) inTurn(ctx context.Context, t prove.Trial, dir string) (schema.Report, error) {
	return inTurn(t, func(cases []string, all bool) (schema.Report, error) {
		if all {
			return p.run(ctx, cases, false, filepath.Join(dir, "quiet"))
		}
		return p.run(ctx, cases, true, dir)
	})
}

// inTurn has all quiet cases of a trial run and, where none fails, the others until one does.
// It returns the reports of both in one.
func inTurn(t prove.Trial, run func(cases []string, all bool) (schema.Report, error)) (schema.Report, error) {
	var report schema.Report
	if len(t.Quiet) > 0 {
		var err error
		if report, err = run(t.Quiet, true); err != nil {
			return report, err
		}
	}
	others := slices.DeleteFunc(slices.Clone(t.Must), func(id string) bool { return slices.Contains(t.Quiet, id) })
	if len(others) == 0 || len(Judge(report).By) > 0 {
		return report, nil
	}
	rest, err := run(others, false)
	rest.Cases = slices.Concat(report.Cases, rest.Cases)
	return rest, err
}

func (p *Prover) prepare(ctx context.Context) error {
	if p.switcher != nil {
		return nil
	}
	p.sound = map[string]bool{}
	if p.Bed.Provider == clusters.ProviderControlPlane {
		p.switcher = asProcesses{cluster: p.Bed.Cluster, control: p.Provider}
		return nil
	}
	machines, err := p.Provider.Machines(ctx, p.Bed.Cluster)
	if err != nil {
		return fmt.Errorf("reach the nodes: %w", err)
	}
	p.switcher = onNodes{machines: machines, client: p.Bed.Client}
	return nil
}

// run runs cases by their IDs, all of them or until one fails. What those that fail leave is
// for Tidy, once the components work again.
func (p *Prover) run(ctx context.Context, cases []string, failFast bool, dir string) (schema.Report, error) {
	o := p.Options.On(p.Bed)
	o.ReportDir, o.CaseLimit, o.Keep, o.FailFast, o.Timelines = dir, caseLimit, true, failFast, spec.TimelinesFailed
	if p.Bed.Provider == clusters.ProviderControlPlane {
		o.CaseLimit = simulationLimit
	}
	if starting(run.Metas(p.Parts.Cases), cases) {
		o.CaseLimit = startedLimit
	}
	o.Filter = plan.Filter{}
	for _, id := range cases {
		o.Filter.Focus = append(o.Filter.Focus, "^"+regexp.QuoteMeta(id)+" ")
	}
	return run.Run(ctx, p.Parts, o)
}

// Tidy removes what failed cases have left, and does not wait until it is gone: names are
// unique, so that it is in nobody's way. It does so also when ctx is over.
func Tidy(ctx context.Context, client kubernetes.Interface) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tidyTime)
	defer cancel()
	ours := metav1.ListOptions{LabelSelector: spec.LabelManagedBy + "=" + spec.ManagedBy}
	namespaces, err := client.CoreV1().Namespaces().List(ctx, ours)
	if err != nil {
		return fmt.Errorf("list what cases have left: %w", err)
	}
	var errs []error
	for _, n := range namespaces.Items {
		if n.Name != spec.SystemNamespace && n.DeletionTimestamp == nil {
			errs = append(errs, client.CoreV1().Namespaces().Delete(ctx, n.Name, metav1.DeleteOptions{}))
		}
	}
	errs = append(errs, removeNodes(ctx, client, ours))
	resources := client.ResourceV1()
	errs = append(errs, resources.DeviceClasses().DeleteCollection(ctx, metav1.DeleteOptions{}, ours))
	errs = append(errs, resources.ResourceSlices().DeleteCollection(ctx, metav1.DeleteOptions{}, ours))
	errs = append(errs, client.SchedulingV1().PriorityClasses().DeleteCollection(ctx, metav1.DeleteOptions{}, ours))
	errs = append(errs, resources.DeviceTaintRules().DeleteCollection(ctx, metav1.DeleteOptions{}, ours))
	// Others may have removed it already, and not every cluster serves rules.
	errs = slices.DeleteFunc(errs, apierrors.IsNotFound)
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("remove what cases have left: %w", err)
	}
	return nil
}
