package run

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/probe"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/runner"
	"github.com/dra-conformance/dratest/upgrade/change"
	"github.com/dra-conformance/dratest/upgrade/path"
)

// cleanupTime bounds the removal of what a run made.
const cleanupTime = 3 * time.Minute

// apiTime bounds how long an API server takes to answer that has just been changed.
const apiTime = 2 * time.Minute

// ground is what a run stands on: a cluster, its nodes, and agents on them.
type ground struct {
	options  Options
	parts    Parts
	progress *progress.Printer
	path     path.Path

	config  *rest.Config
	client  kubernetes.Interface
	cluster changer
	target  spec.Target
	env     harness.Env
	made    bool         // the cluster, just now
	down    func() error // is done while the kubelet of the step is stopped

	undo []func(context.Context) error
}

// changer does steps; change.Cluster does.
type changer interface {
	Provide(ctx context.Context, p path.Path) error
	Do(ctx context.Context, step path.Step) (change.Done, error)
}

// later adds what close does, the last one first.
func (g *ground) later(do func(context.Context) error) { g.undo = append(g.undo, do) }

// prepare brings all up; what it did has to be closed even if it fails.
func (g *ground) prepare(ctx context.Context) error {
	if !g.options.Resume {
		if _, err := g.parts.Clusters.Create(ctx, g.options.Cluster); err != nil {
			return fmt.Errorf("bring the cluster up: %w", err)
		}
		g.made = true
	}
	name := g.options.Cluster.Name
	release, err := g.parts.Clusters.Lock(name)
	if err != nil {
		return fmt.Errorf("keep others from the cluster: %w", err)
	}
	g.later(func(context.Context) error { release(); return nil })
	machines, err := g.parts.Clusters.Machines(ctx, name)
	if err != nil {
		return err
	}
	if err := g.connect(name); err != nil {
		return err
	}
	if err := sameNodes(machines, g.options.Request); err != nil {
		return err
	}
	g.cluster = change.Cluster{
		Client: g.client, Machines: machines, Supply: g.parts.Supply, Timeout: g.options.StepTimeout,
		Down: func(context.Context, path.Step) error { return g.down() },
	}
	err = g.progress.Step("put the software of all steps on the nodes", 30*time.Second, func() error { return g.cluster.Provide(ctx, g.path) })
	if err != nil {
		return err
	}
	return g.install(ctx)
}

func (g *ground) connect(name string) error {
	kubeconfig, err := g.parts.Clusters.Kubeconfig(name)
	if err != nil {
		return err
	}
	if g.config, err = runner.ClientConfig(kubeconfig, ""); err != nil {
		return err
	}
	if g.client, err = kubernetes.NewForConfig(g.config); err != nil {
		return fmt.Errorf("use the kubeconfig %s: %w", kubeconfig, err)
	}
	return nil
}

// sameNodes checks that the path is about the cluster's nodes.
func sameNodes(machines []clusters.Machine, r path.Request) error {
	var names []string
	for _, m := range machines {
		names = append(names, m.String())
	}
	want := slices.Concat(r.ControlPlanes, r.Workers)
	slices.Sort(names)
	slices.Sort(want)
	if !slices.Equal(names, want) {
		return fmt.Errorf("%w: the cluster has the nodes %v, the way is for %v", clusters.ErrEnvironment, names, want)
	}
	return nil
}

// install puts the agents on the nodes and looks at the cluster. A cluster that is
// gone on with has what was seen of it at first.
func (g *ground) install(ctx context.Context) error {
	if err := g.awaitAPI(ctx); err != nil {
		return err
	}
	found, err := probe.Target(ctx, g.config)
	if err != nil {
		return err
	}
	if err := probe.Usable(found); err != nil {
		return fmt.Errorf("the cluster cannot be used: %w", err)
	}
	if g.target.Server == "" {
		g.target = found
	}
	workers := g.target.Workers()
	err = g.progress.Step(fmt.Sprintf("install the test driver on %d node(s)", len(workers)), 5*time.Second, func() error {
		return g.parts.Agents.Install(ctx, g.config, workers)
	})
	if err != nil {
		return err
	}
	drivers, nodes, err := g.parts.Agents.Connect(ctx, g.config)
	if err != nil {
		return err
	}
	dir, err := filepath.Abs(g.options.ReportDir)
	if err != nil {
		return err
	}
	g.env = harness.Env{
		Config: g.config, Plan: spec.Plan{Target: g.target}, Drivers: drivers, Nodes: nodes,
		Image: g.options.PodImage, ReportDir: dir, Journal: func(spec.Progress) {},
	}
	return nil
}

// awaitAPI is for a run that is gone on with, which may have been interrupted while
// the API server was changed.
func (g *ground) awaitAPI(ctx context.Context) error {
	var last error
	err := wait.PollUntilContextTimeout(ctx, time.Second, apiTime, true, func(ctx context.Context) (bool, error) {
		last = probe.Reachable(ctx, g.config)
		return last == nil, nil
	})
	if err != nil {
		return errors.Join(last, err)
	}
	return nil
}

// close removes what prepare made, also after ctx has ended; the cluster stays
// unless it is to go.
func (g *ground) close(ctx context.Context, remove bool) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTime)
	defer cancel()
	var errs []error
	for _, do := range slices.Backward(g.undo) {
		errs = append(errs, do(ctx))
	}
	if name := g.options.Cluster.Name; remove {
		errs = append(errs, g.progress.Step("remove cluster "+name, 0, func() error { return g.parts.Clusters.Delete(ctx, name) }))
	}
	return errors.Join(errs...)
}
