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

// testbed is what a run takes place on: a cluster, its nodes, and agents on them.
type testbed struct {
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
func (b *testbed) later(do func(context.Context) error) { b.undo = append(b.undo, do) }

// prepare brings all up; what it did has to be closed even if it fails.
func (b *testbed) prepare(ctx context.Context) error {
	if !b.options.Resume {
		if _, err := b.parts.Clusters.Create(ctx, b.options.Cluster); err != nil {
			return fmt.Errorf("bring the cluster up: %w", err)
		}
		b.made = true
	}
	name := b.options.Cluster.Name
	release, err := b.parts.Clusters.Lock(name)
	if err != nil {
		return fmt.Errorf("keep others from the cluster: %w", err)
	}
	b.later(func(context.Context) error { release(); return nil })
	machines, err := b.parts.Clusters.Machines(ctx, name)
	if err != nil {
		return err
	}
	if err := b.connect(name); err != nil {
		return err
	}
	if err := sameNodes(machines, b.options.Request); err != nil {
		return err
	}
	b.cluster = change.Cluster{
		Name: name, Client: b.client, Machines: machines, Supply: b.parts.Supply, Switcher: b.parts.Clusters, Timeout: b.options.StepTimeout,
		Down: func(context.Context, path.Step) error { return b.down() },
	}
	err = b.progress.Step("put the software of all steps on the nodes", 30*time.Second, func() error { return b.cluster.Provide(ctx, b.path) })
	if err != nil {
		return err
	}
	return b.install(ctx)
}

func (b *testbed) connect(name string) error {
	kubeconfig, err := b.parts.Clusters.Kubeconfig(name)
	if err != nil {
		return err
	}
	if b.config, err = runner.ClientConfig(kubeconfig, ""); err != nil {
		return err
	}
	if b.client, err = kubernetes.NewForConfig(b.config); err != nil {
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
func (b *testbed) install(ctx context.Context) error {
	if err := b.awaitAPI(ctx); err != nil {
		return err
	}
	found, err := probe.Target(ctx, b.config)
	if err != nil {
		return err
	}
	if err := probe.Usable(found); err != nil {
		return fmt.Errorf("the cluster cannot be used: %w", err)
	}
	if b.target.Server == "" {
		b.target = found
	}
	workers := b.target.Workers()
	err = b.progress.Step(fmt.Sprintf("install the test driver on %d node(s)", len(workers)), 5*time.Second, func() error {
		return b.parts.Agents.Install(ctx, b.config, workers)
	})
	if err != nil {
		return err
	}
	drivers, nodes, err := b.parts.Agents.Connect(ctx, b.config)
	if err != nil {
		return err
	}
	dir, err := filepath.Abs(b.options.ReportDir)
	if err != nil {
		return err
	}
	b.env = harness.Env{
		Config: b.config, Plan: spec.Plan{Target: b.target}, Drivers: drivers, Nodes: nodes,
		Image: b.options.PodImage, ReportDir: dir, Journal: func(spec.Progress) {},
	}
	return nil
}

// awaitAPI is for a run that is gone on with, which may have been interrupted while
// the API server was changed.
func (b *testbed) awaitAPI(ctx context.Context) error {
	var last error
	err := wait.PollUntilContextTimeout(ctx, time.Second, apiTime, true, func(ctx context.Context) (bool, error) {
		last = probe.Reachable(ctx, b.config)
		return last == nil, nil
	})
	if err != nil {
		return errors.Join(last, err)
	}
	return nil
}

// close removes what prepare made, also after ctx has ended; the cluster stays
// unless it is to go.
func (b *testbed) close(ctx context.Context, remove bool) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTime)
	defer cancel()
	var errs []error
	for _, do := range slices.Backward(b.undo) {
		errs = append(errs, do(ctx))
	}
	if name := b.options.Cluster.Name; remove {
		errs = append(errs, b.progress.Step("remove cluster "+name, 0, func() error { return b.parts.Clusters.Delete(ctx, name) }))
	}
	return errors.Join(errs...)
}
