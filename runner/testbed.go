package runner

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/client-go/rest"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/framework/plan"
	"github.com/dra-conformance/dratest/framework/probe"
	"github.com/dra-conformance/dratest/framework/spec"
)

// ErrNothingRan: the filter leaves no case, so that nothing was started.
var ErrNothingRan = errors.New("nothing ran")

// existing is the provider of a cluster that was there already.
const existing = "existing"

// cleanupTime bounds the removal of what a run made.
const cleanupTime = 3 * time.Minute

// testbed is what a run stands on: a cluster, a plan for it, and agents on its
// nodes. Nil fields have not been reached.
type testbed struct {
	kubeconfig string
	context    string
	provider   string
	config     *rest.Config
	plan       spec.Plan

	progress *progress.Printer
	undo     []func(context.Context) error
}

// locker is a provider that can keep others from removing a cluster in use.
type locker interface {
	Lock(name string) (release func(), err error)
}

// prepare brings everything up that a run needs. The testbed is valid, and must be
// closed, even if there is an error.
func prepare(ctx context.Context, parts Parts, o Options) (*testbed, error) {
	b := &testbed{kubeconfig: o.Kubeconfig, context: o.Context, provider: existing, progress: progress.New(o.Out)}
	if err := b.selects(parts, o.Filter); err != nil {
		return b, err
	}
	if b.kubeconfig == "" {
		if err := b.makeCluster(ctx, parts, o); err != nil {
			return b, err
		}
	}
	if err := b.look(ctx, parts, o); err != nil {
		return b, err
	}
	if b.plan.Runs() == 0 {
		return b, nil
	}
	return b, b.install(ctx, parts.Agents, o.Keep)
}

// selects fails if there is nothing to run, before anything is brought up.
func (b *testbed) selects(parts Parts, filter plan.Filter) error {
	metas := Metas(parts.Cases)
	if err := plan.Validate(metas); err != nil {
		return err
	}
	selected, err := plan.Select(metas, filter)
	if err == nil && len(selected) == 0 {
		err = fmt.Errorf("%w: none of the %d cases matches the filter; `dratest list` shows their IDs and labels", ErrNothingRan, len(metas))
	}
	return err
}

func (b *testbed) makeCluster(ctx context.Context, parts Parts, o Options) error {
	if parts.Clusters == nil {
		return errors.New("no provider makes clusters here: give the kubeconfig of an existing cluster")
	}
	b.provider = "kind"
	o.Cluster.Temporary = !o.Keep
	cluster, err := parts.Clusters.Create(ctx, o.Cluster)
	if err != nil {
		return fmt.Errorf("bring the cluster up: %w", err)
	}
	b.kubeconfig = cluster.Kubeconfig
	if o.Keep {
		b.progress.Printf("  .. cluster %s will be kept, its kubeconfig is %s", cluster.Name, cluster.Kubeconfig)
		return b.lock(parts.Clusters, cluster.Name)
	}
	b.undo = append(b.undo, func(ctx context.Context) error {
		return b.progress.Step("remove cluster "+cluster.Name, 0, func() error { return parts.Clusters.Delete(ctx, cluster.Name) })
	})
	return nil
}

// lock keeps others from removing a cluster that will be kept; a temporary one is
// held by its provider.
func (b *testbed) lock(provider clusters.Provider, name string) error {
	l, ok := provider.(locker)
	if !ok {
		return nil
	}
	release, err := l.Lock(name)
	if err != nil {
		return fmt.Errorf("keep others from removing the cluster: %w", err)
	}
	b.undo = append(b.undo, func(context.Context) error { release(); return nil })
	return nil
}

// look probes the cluster and plans for it.
func (b *testbed) look(ctx context.Context, parts Parts, o Options) (err error) {
	if b.kubeconfig, err = absolutePath(b.kubeconfig); err != nil {
		return err
	}
	if b.config, err = ClientConfig(b.kubeconfig, b.context); err != nil {
		return err
	}
	var target spec.Target
	err = b.progress.Step("look at the cluster at "+b.config.Host, 0, func() (err error) {
		target, err = probe.Target(ctx, b.config)
		return err
	})
	if err != nil {
		return err
	}
	if err := probe.Usable(target); err != nil {
		return fmt.Errorf("the cluster at %s cannot be used: %w", target.Server, err)
	}
	target.Disruptable = o.Kubeconfig == "" || o.Disruptive
	b.plan, err = plan.Build(Metas(parts.Cases), target, o.Filter)
	return err
}

func (b *testbed) install(ctx context.Context, agents Agents, keep bool) error {
	if b.provider == existing {
		release, err := agents.Reserve(ctx, b.config)
		if err != nil {
			return err
		}
		b.undo = append(b.undo, release)
		// A cluster of ours takes its agents along when it goes.
		if !keep {
			b.undo = append(b.undo, func(ctx context.Context) error {
				return b.progress.Step("remove the test driver and what cases left", 0, func() error { return agents.Uninstall(ctx, b.config) })
			})
		}
	}
	nodes := b.plan.Target.Workers()
	err := b.progress.Step(fmt.Sprintf("install the test driver on %d node(s)", len(nodes)), 5*time.Second, func() error {
		return agents.Install(ctx, b.config, nodes)
	})
	if err != nil {
		return fmt.Errorf("install the test driver: %w", err)
	}
	return nil
}

// close removes what prepare made, also after ctx has been cancelled, unless
// again is signalled.
func (b *testbed) close(ctx context.Context, again <-chan struct{}) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTime)
	defer cancel()
	done := make(chan struct{})
	defer close(done)
	go func() {
		select {
		case <-again:
			cancel()
		case <-done:
		}
	}()
	var errs []error
	for i := len(b.undo) - 1; i >= 0; i-- {
		errs = append(errs, b.undo[i](ctx))
	}
	b.undo = nil
	return errors.Join(errs...)
}
