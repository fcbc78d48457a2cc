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

package testbed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/drivers/sim/deploy"
	"github.com/dra-conformance/dratest/framework/kube"
	"github.com/dra-conformance/dratest/framework/probe"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Existing is the Provider of an existing cluster.
const Existing = "existing"

// CleanupTime bounds the removal of a testbed.
const CleanupTime = 3 * time.Minute

// Parts are the dependencies of a testbed.
type Parts struct {
	// Clusters makes the cluster of a testbed without a kubeconfig.
	Clusters clusters.Provider
	Agents   Agents
	// Companions are the programs available to cases beside the cluster.
	Companions []Companion
}

// Testbed is a usable cluster. Fields are set once Open, and for Target once Look, has returned.
type Testbed struct {
	// Provider is the name of the cluster's provider, or Existing.
	Provider string
	// Cluster is the name of a cluster made for this testbed.
	Cluster string
	// Kubeconfig is an absolute path, or empty for the cluster of this process's pod.
	Kubeconfig string
	Context    string
	REST       *rest.Config
	Client     kubernetes.Interface
	Target     spec.Target

	Progress *progress.Printer

	agents   Agents
	provider clusters.Provider
	made     clusters.Cluster // by a provider
	keep     bool
	// temporary clusters are removed with the testbed.
	temporary bool
	// podTemplate is that of Config.
	podTemplate map[string]any
	// upgrade is that of Config.
	upgrade string
	undo    []func(context.Context) error
	built   spec.Digests
}

// locker is a provider that can lock a cluster in use.
type locker interface {
	Lock(name string) (release func(), err error)
}

// finder is a provider that can find clusters made by earlier processes.
type finder interface {
	// Kubeconfig is the path of a cluster's kubeconfig.
	Kubeconfig(name string) (string, error)
}

// Open makes or finds the cluster and connects to it. Close the result even after an error.
func Open(ctx context.Context, parts Parts, c Config) (*Testbed, error) {
	b := &Testbed{Provider: Existing, Kubeconfig: c.Kubeconfig, Context: c.Context, Progress: progress.New(c.Out), agents: parts.Agents, provider: parts.Clusters, made: c.Made, keep: c.Keep, podTemplate: c.PodTemplate, upgrade: c.Upgrade}
	if !c.Existing() {
		if err := b.bringUp(ctx, c); err != nil {
			return b, err
		}
	}
	return b, b.connect()
}

func (b *Testbed) bringUp(ctx context.Context, c Config) error {
	if b.provider == nil {
		return errors.New("no provider makes clusters here: give the kubeconfig of an existing cluster")
	}
	b.Provider = b.provider.Name()
	if c.Reuse {
		return b.find(c.Cluster.Name)
	}
	c.Cluster.Temporary = !c.Keep
	made, err := b.provider.Create(ctx, c.Cluster)
	if err != nil {
		return fmt.Errorf("bring the cluster up: %w", err)
	}
	b.Cluster, b.Kubeconfig = made.Name, made.Kubeconfig
	if made.Provider != "" {
		b.Provider = made.Provider // one of several behind the Provider
	}
	b.made = made
	if c.Keep {
		return b.lock()
	}
	b.temporary = true
	b.Later(b.Remove)
	return nil
}

// Temporary reports whether the cluster was made for this testbed and is removed with it.
func (b *Testbed) Temporary() bool { return b.temporary }

func (b *Testbed) find(name string) (err error) {
	f, ok := b.provider.(finder)
	if !ok {
		return fmt.Errorf("provider %s does not know the clusters that it made before", b.Provider)
	}
	if b.Kubeconfig, err = f.Kubeconfig(name); err != nil {
		return err
	}
	b.Cluster = name
	return b.lock()
}

// lock locks a cluster to be kept; a temporary one is locked by its provider.
func (b *Testbed) lock() error {
	l, ok := b.provider.(locker)
	if !ok {
		return nil
	}
	release, err := l.Lock(b.Cluster)
	if err != nil {
		return fmt.Errorf("keep others from removing the cluster: %w", err)
	}
	b.Later(func(context.Context) error { release(); return nil })
	return nil
}

func (b *Testbed) connect() (err error) {
	if b.Kubeconfig != "" {
		if b.Kubeconfig, err = filepath.Abs(b.Kubeconfig); err != nil {
			return fmt.Errorf("find the kubeconfig: %w", err)
		}
	}
	if b.REST, err = ClientConfig(b.Kubeconfig, b.Context); err != nil {
		return err
	}
	if b.Client, err = kube.NewForConfig(b.REST); err != nil {
		return fmt.Errorf("use the kubeconfig %s: %w", b.Kubeconfig, err)
	}
	return nil
}

// Look probes the cluster, and fails if it is unusable.
func (b *Testbed) Look(ctx context.Context) error {
	err := b.Progress.Step("look at the cluster at "+b.REST.Host, 0, func() (err error) {
		b.Target, err = probe.Target(ctx, b.REST)
		return err
	})
	if err != nil {
		return err
	}
	b.Target.Running = withMadeRunning(b.Target.Running, b.made)
	b.Target.Stack = withMade(b.Target.Stack, b.made.Stack)
	b.Target.BindingTimeout = cmp.Or(b.Target.BindingTimeout, b.made.BindingTimeout)
	b.Target.DefaultsProfile = cmp.Or(b.Target.DefaultsProfile, b.made.DefaultsProfile)
	b.Target = withMadeGates(b.Target, b.made)
	if err := b.fit(ctx); err != nil {
		return err
	}
	if err := probe.Usable(b.Target); err != nil {
		return fmt.Errorf("the cluster at %s cannot be used: %w", b.Target.Server, errors.Join(err, b.noWorker(ctx)))
	}
	return nil
}

// Install reserves a shared cluster, and installs agents on the nodes, if any, for cases. Close uninstalls them if
// the cluster stays and nothing is to be kept.
func (b *Testbed) Install(ctx context.Context, nodes []string) error {
	if b.Provider == Existing {
		release, err := b.agents.Reserve(ctx, b.REST)
		if err != nil {
			return err
		}
		b.Later(release)
		if err := b.expectMark(ctx); err != nil {
			return err
		}
		if !b.keep {
			b.Later(b.Uninstall)
		}
	}
	return b.InstallAgents(ctx, nodes)
}

// InstallAgents installs agents on the nodes, if any, permanently.
func (b *Testbed) InstallAgents(ctx context.Context, nodes []string) error {
	if len(nodes) == 0 {
		return nil // nothing of the plan needs a driver
	}
	err := b.Progress.Step(fmt.Sprintf("install the test driver on %d node(s)", len(nodes)), 5*time.Second, func() error {
		return b.agents.Install(ctx, b.REST, nodes)
	})
	if err != nil {
		return fmt.Errorf("install the test driver: %w", err)
	}
	return nil
}

// Uninstall removes what Install made. Without a namespace controller there is no waiting for it.
func (b *Testbed) Uninstall(ctx context.Context) error {
	return b.Progress.Step("remove the test driver and what was left with it", 0, func() error {
		err := b.agents.Uninstall(ctx, b.REST)
		if errors.Is(err, deploy.ErrAbandoned) {
			b.Progress.Printf("  !! %v: namespaces stay, and the next run needs a new API server", deploy.ErrAbandoned)
			return nil
		}
		return err
	})
}

// Later adds a function to Close; they run in reverse order.
func (b *Testbed) Later(do func(context.Context) error) { b.undo = append(b.undo, do) }

// Forget makes Close skip a cluster that became unavailable: each step would only repeat the error. A cluster made
// for this testbed is removed all the same.
func (b *Testbed) Forget() {
	if b.Provider == Existing {
		b.undo = nil
	}
}

// Logs writes the logs of a cluster made for this testbed into dir; there are none for others.
func (b *Testbed) Logs(ctx context.Context, dir string) error {
	if b.Cluster == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), CleanupTime)
	defer cancel()
	return b.provider.Logs(ctx, b.Cluster, dir)
}

// Remove removes a cluster made for this testbed, even one to be kept.
func (b *Testbed) Remove(ctx context.Context) error {
	if b.Cluster == "" {
		return nil
	}
	name := b.Cluster
	err := b.Progress.Step("remove cluster "+name, 0, func() error { return b.provider.Delete(ctx, name) })
	if err == nil {
		b.Cluster = ""
	}
	return err
}

// Close removes the testbed, even after ctx was cancelled. A value from again skips further waiting; nil never does.
// Without a testbed it does nothing.
func (b *Testbed) Close(ctx context.Context, again <-chan struct{}) error {
	if b == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), CleanupTime)
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
	for _, do := range slices.Backward(b.undo) {
		errs = append(errs, do(ctx))
	}
	b.undo = nil
	if b.keep && b.Cluster != "" {
		b.Progress.Printf("  .. cluster %s is kept: its kubeconfig is %s, `dratest cluster delete %s` removes it", b.Cluster, b.Kubeconfig, b.Cluster)
	}
	return errors.Join(errs...)
}

// ClientConfig reads a kubeconfig; an empty context means its current one. Without a kubeconfig it is that of the
// cluster of this process's pod. It has no client-side rate limit, since cases waiting for their own client say
// nothing about the cluster.
func ClientConfig(kubeconfig, context string) (*rest.Config, error) {
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(
		&clientcmd.ClientConfigLoadingRules{ExplicitPath: kubeconfig},
		&clientcmd.ConfigOverrides{CurrentContext: context},
	).ClientConfig()
	switch {
	case err != nil && kubeconfig == "":
		return nil, fmt.Errorf("use the service account of this pod, which needs to be in a cluster and to have a token: %w", err)
	case err != nil:
		return nil, fmt.Errorf("read kubeconfig %s: %w", kubeconfig, err)
	}
	config.QPS = -1
	config.UserAgent = "dratest"
	return config, nil
}
