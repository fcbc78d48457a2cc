package run

import (
	"context"
	"errors"
	"fmt"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/images"
	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/framework/plan"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
	"github.com/dra-conformance/dratest/framework/testbed/access"
	"github.com/dra-conformance/dratest/framework/testbed/classic"
)

// prepared is a testbed with a plan for it, and with agents on its nodes if the plan
// has anything to run.
type prepared struct {
	*testbed.Testbed

	plan spec.Plan
	// digests are those of the test driver's images.
	digests []string
	// composable is the path of dra-composable-controller, if a case needs it.
	composable string
	// whatIf is that of dra-whatif.
	whatIf string
	// classic are the programs of classic DRA.
	classic classic.Programs
}

// prepare brings everything up that a run needs. What it returns must be closed if it
// has a testbed, even if there is an error.
func prepare(ctx context.Context, parts Parts, o Options) (prepared, error) {
	if _, err := selected(parts, o.Filter); err != nil {
		return prepared{}, err
	}
	b, err := testbed.Open(ctx, parts.Parts, o.testbed())
	p := prepared{Testbed: b}
	if err != nil {
		return p, err
	}
	err = p.look(ctx, parts, o)
	p.leaveOutForbidden(ctx, o)
	if o.existing() && (p.plan.Runs() > 0 || apierrors.IsForbidden(err)) {
		// What is forbidden on the way would only be the first thing that is.
		if err := access.Check(ctx, p.Client, access.Rules(o.Disruptive)); err != nil {
			return p, err
		}
	}
	if err != nil || p.plan.Runs() == 0 {
		return p, err
	}
	var nodes []string
	if p.plan.RunsOnNodes() {
		nodes = p.Target.Workers()
	}
	if err := p.Install(ctx, nodes); err != nil {
		return p, err
	}
	p.installClassic(ctx, o)
	// The agents can tell which programs the kubelets are.
	p.Identify(ctx, o.AssumeStock, len(nodes) > 0)
	p.plan.Target = p.Target
	p.digests = p.DriverDigests(ctx)
	if parts.Subject != nil {
		return p, parts.Subject.Before(ctx, p.Testbed)
	}
	return p, nil
}

// leaveOutForbidden leaves cases of APIs that are off by default out of the plan if the run's
// account has no rights for these: the printed role has none.
func (p *prepared) leaveOutForbidden(ctx context.Context, o Options) {
	for feature, rules := range map[spec.Feature][]rbacv1.PolicyRule{spec.PoolStatus: access.PoolRequests(), spec.WorkloadClaims: access.PodGroups()} {
		if !o.existing() || !p.plan.RunsWith(feature) {
			continue
		}
		err := access.Check(ctx, p.Client, rules)
		if missing := (access.MissingError{}); errors.As(err, &missing) {
			p.plan = plan.WithoutPermission(p.plan, feature,
				fmt.Sprintf("uses an API that is off by default, for which the printed role has no rights: let the run's account %s", access.List(missing.Rights)))
		}
	}
}

// installClassic installs the definitions of classic DRA if a case needs them. Where that does
// not work the plan is without those cases.
func (p *prepared) installClassic(ctx context.Context, o Options) {
	if !p.plan.RunsClassic() {
		return
	}
	if o.existing() {
		if err := access.Check(ctx, p.Client, access.Classic()); err != nil {
			p.plan = plan.WithoutClassic(p.plan, fmt.Sprintf("installs definitions and admission policies of classic DRA: %v", err))
			return
		}
	}
	remove, err := p.classic.Install(ctx, p.REST)
	if !o.Keep {
		p.Later(remove)
	}
	if err != nil {
		p.plan = plan.WithoutClassic(p.plan, fmt.Sprintf("the definitions of classic DRA could not be installed: %v", err))
	}
}

// close removes what prepare made.
func (p prepared) close(ctx context.Context, again <-chan struct{}) error {
	if p.Testbed == nil {
		return nil
	}
	return p.Close(ctx, again)
}

// selected returns what there is to run, or fails if that is nothing, before anything
// is brought up.
func selected(parts Parts, filter plan.Filter) ([]spec.Meta, error) {
	metas := Metas(parts.Cases)
	if err := plan.Validate(metas); err != nil {
		return nil, err
	}
	found, err := plan.Select(metas, filter)
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("%w: none of the %d cases matches the filter; `dratest list` shows their IDs and labels", ErrNothingRan, len(metas))
	}
	return found, err
}

// look probes the cluster and plans for it.
func (p *prepared) look(ctx context.Context, parts Parts, o Options) (err error) {
	if err := p.Look(ctx); err != nil {
		return err
	}
	p.Identify(ctx, o.AssumeStock, false)
	p.Target.Disruptable = !o.existing() || o.Disruptive
	p.Target.Restartable = !o.existing() || o.RestartNodes
	if parts.Subject != nil {
		found, err := parts.Subject.Find(ctx, p.Testbed)
		if err != nil {
			return err
		}
		p.Target.Subject = &found
	}
	if p.plan, err = plan.Build(Metas(parts.Cases), p.Target, o.Filter); err != nil {
		return err
	}
	if err := p.findComposable(ctx, o); err != nil {
		return err
	}
	if err := p.findWhatIf(ctx, o); err != nil {
		return err
	}
	return p.findClassic(ctx, o)
}

// programs are how those are found or built that cases start.
func (o Options) programs(p *progress.Printer) images.Local {
	return images.Local{Progress: p, Overlay: o.Overlay}
}

// findComposable finds or builds dra-composable-controller if a case needs it. Where there
// can be none the plan is without those cases; one that does not compile is an error.
func (p *prepared) findComposable(ctx context.Context, o Options) (err error) {
	if !p.plan.RunsComposable() {
		return nil
	}
	if o.InCluster || p.Kubeconfig == "" {
		p.plan = plan.WithoutFabrics(p.plan, "starts a controller as a process beside dratest, which needs a kubeconfig: run dratest from outside of the cluster, with --kubeconfig")
		return nil
	}
	p.composable, err = o.programs(p.Progress).ComposableProgram(ctx)
	if errors.Is(err, clusters.ErrEnvironment) {
		p.plan, err = plan.WithoutFabrics(p.plan, fmt.Sprintf("starts dra-composable-controller, which is not there: %v", err)), nil
	}
	return err
}

// findWhatIf does the same for dra-whatif, most cases of which add simulated nodes to a
// cluster that has some.
func (p *prepared) findWhatIf(ctx context.Context, o Options) (err error) {
	switch {
	case p.Target.Simulated() == 0:
		p.plan = plan.WithoutAddedNodes(p.plan, "adds simulated nodes, of which the cluster has none: use --provider=controlplane")
	case !p.Target.Disruptable:
		p.plan = plan.WithoutAddedNodes(p.plan, "adds simulated nodes that are ready, on which pods of others could land: allow it with --disruptive")
	}
	switch {
	case !p.plan.RunsWhatIf():
		return nil
	case o.InCluster || p.Kubeconfig == "":
		p.plan = plan.WithoutWhatIf(p.plan, "starts dra-whatif as a process beside dratest, which needs a kubeconfig: run dratest from outside of the cluster, with --kubeconfig")
		return nil
	}
	p.whatIf, err = o.programs(p.Progress).WhatIfProgram(ctx)
	if errors.Is(err, clusters.ErrEnvironment) {
		p.plan, err = plan.WithoutWhatIf(p.plan, fmt.Sprintf("starts dra-whatif, which is not there: %v", err)), nil
	}
	return err
}

// findClassic does the same for the programs of classic DRA, which needs definitions and
// policies for the whole cluster.
func (p *prepared) findClassic(ctx context.Context, o Options) (err error) {
	switch {
	case !p.plan.RunsClassic():
		return nil
	case !p.Target.Disruptable:
		p.plan = plan.WithoutClassic(p.plan, "installs definitions and admission policies of classic DRA for the whole cluster: allow it with --disruptive")
		return nil
	case o.InCluster || p.Kubeconfig == "":
		p.plan = plan.WithoutClassic(p.plan, "starts schedulers and drivers as processes beside dratest, which need a kubeconfig: run dratest from outside of the cluster, with --kubeconfig")
		return nil
	}
	p.classic = classic.Programs{Kubeconfig: p.Kubeconfig, Context: p.Context}
	p.classic.Scheduler, p.classic.Driver, p.classic.Config, err = o.programs(p.Progress).ClassicPrograms(ctx)
	if errors.Is(err, clusters.ErrEnvironment) {
		p.plan, err = plan.WithoutClassic(p.plan, fmt.Sprintf("starts dra-scheduler and dra-classic-driver, which are not there: %v", err)), nil
	}
	return err
}
