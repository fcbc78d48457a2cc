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

package controlplane

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/versions"
	"github.com/dra-conformance/dratest/framework/spec"
)

const (
	// startTimeout bounds the start of all processes; they take about 5 s.
	startTimeout = 2 * time.Minute
	// cleanupTimeout bounds the cleanup after a failed creation.
	cleanupTimeout = time.Minute
	// attempts limits retries with other ports after a port conflict.
	attempts = 3
)

// Create starts a control plane and returns once pods can be created and scheduled. On failure or cancellation it
// leaves nothing behind unless Config.Keep is set. Errors are those of clusters.Provider.
func (p *Provider) Create(ctx context.Context, c clusters.Config) (clusters.Cluster, error) {
	c.Provider = clusters.ProviderControlPlane
	c = c.WithDefaults(versions.Newest().Kubernetes)
	if err := c.Validate(); err != nil {
		return clusters.Cluster{}, fmt.Errorf("create cluster: %w", err)
	}
	known, err := versions.Lookup(c.Version)
	if err != nil {
		return clusters.Cluster{}, fmt.Errorf("create cluster %q: %w", c.Name, err)
	}
	c.Version = known.Kubernetes
	s, err := p.parts()
	if err != nil {
		return clusters.Cluster{}, err
	}
	release, err := s.store.Lock(c.Name)
	if err != nil {
		return clusters.Cluster{}, err
	}
	made, err := p.create(ctx, s, c)
	if err != nil || !c.Temporary {
		release()
	} else {
		p.locks.Keep(c.Name, release)
	}
	return made, err
}

// create is Create with the cluster's lock held.
func (p *Provider) create(ctx context.Context, s parts, c clusters.Config) (clusters.Cluster, error) {
	if err := s.makeRoom(ctx, c.Name); err != nil {
		return clusters.Cluster{}, err
	}
	l := layout{dir: s.store.Folder(c.Name)}
	programs, err := find(ctx, p.Programs, c, l.kubeconfig(scheduler))
	if err == nil {
		err = tuneScheduler(c, l, &programs)
	}
	if err != nil {
		return clusters.Cluster{}, fmt.Errorf("create cluster %q: %w", c.Name, err)
	}
	r := record{Name: c.Name, Version: c.Version, Nodes: c.Nodes, Stack: stackOf(c), Created: time.Now(), Temporary: c.Temporary}
	if len(programs.schedulerConfig) > 0 {
		r.BindingTimeout, r.DefaultsProfile = clusters.BindingTimeout, clusters.DefaultsProfile
	}
	if err := s.store.Save(r.Name, r); err != nil {
		return clusters.Cluster{}, err
	}
	usually := 6*time.Second + time.Duration(c.Nodes)*4*time.Millisecond
	err = s.progress.Step(fmt.Sprintf("create cluster %s (%s)", c.Name, describe(c)), usually, func() error {
		return s.start(ctx, c, programs, &r)
	})
	if err != nil {
		return clusters.Cluster{}, s.abandon(ctx, c, r, err)
	}
	return s.cluster(r, clusters.Running), nil
}

// start starts the processes, retrying with other ports after a conflict.
func (s parts) start(ctx context.Context, c clusters.Config, p programs, r *record) error {
	ctx, cancel := context.WithTimeoutCause(ctx, startTimeout+time.Duration(c.Nodes)*20*time.Millisecond,
		fmt.Errorf("%w: the control plane does not work after %s: try again when the machine has less to do", clusters.ErrEnvironment, startTimeout))
	defer cancel()
	for attempt := 1; ; attempt++ {
		err := s.startOnce(ctx, c, p, r)
		if !errors.Is(err, errPortTaken) || attempt == attempts {
			return err
		}
		s.progress.Printf("     another program took a port: starting again with others")
		if err := s.stop(ctx, *r); err != nil {
			return err
		}
		r.Processes = nil
		if err := s.forgetAttempt(r.Name); err != nil {
			return err
		}
	}
}

// forgetAttempt removes the files of a failed attempt: the next one has other nodes and keys, and stale logs would be
// misleading.
func (s parts) forgetAttempt(name string) error {
	folder := s.store.Folder(name)
	old, err := filepath.Glob(filepath.Join(folder, "*.log"))
	if err != nil {
		return err
	}
	for _, path := range append(old, filepath.Join(folder, etcd)) {
		if err := os.RemoveAll(path); err != nil {
			return fmt.Errorf("remove what the first attempt left: %w", err)
		}
	}
	return nil
}

func (s parts) startOnce(ctx context.Context, c clusters.Config, p programs, r *record) (err error) {
	l := layout{dir: s.store.Folder(c.Name)}
	if l.ports, err = freePorts(portNames()); err != nil {
		return err
	}
	r.Ports = l.ports
	if err := writeSecrets(l, c.Name, s.store.Kubeconfig(c.Name)); err != nil {
		return err
	}
	if err := writeFile(l.file(stagesFile), []byte(stages())); err != nil {
		return err
	}
	if len(p.schedulerConfig) > 0 {
		if err := writeFile(l.file("scheduler.yaml"), p.schedulerConfig); err != nil {
			return err
		}
	}
	a, err := s.connect(s.store.Kubeconfig(c.Name))
	if err != nil {
		return err
	}
	b := &boot{parts: s, api: a, layout: l, record: r}
	all := commands(c, p, l)
	// Clients of the API server exit without it.
	first := slices.IndexFunc(all, func(c command) bool { return c.name == apiserver }) + 1
	if err := b.start(all[:first]...); err != nil {
		return err
	}
	began := time.Now()
	if err := b.waitHealthy(ctx); err != nil {
		return err
	}
	s.progress.Printf("     API server (%s)", time.Since(began).Round(100*time.Millisecond))
	if err := b.rest(ctx, c, p, all[first:]); err != nil {
		return err
	}
	r.Ready = true
	return s.store.Save(r.Name, *r)
}

// tuneScheduler writes the scheduler's file with BindingTimeout and without a client request limit, since benchmarks
// would otherwise measure the limit.
func tuneScheduler(c clusters.Config, l layout, p *programs) error {
	if _, ok := p.paths[scheduler]; !ok {
		return nil
	}
	tree := map[string]any{}
	switch {
	case c.Stack.Scheduler == spec.Own:
		if err := yaml.Unmarshal(p.schedulerConfig, &tree); err != nil {
			return fmt.Errorf("read the own scheduler's configuration: %w", err)
		}
	case c.TakesSchedulerConfig():
		tree = clusters.SchedulerConfig(l.kubeconfig(scheduler))
	case len(c.Scheduler) > 0:
		return fmt.Errorf("write the scheduler's configuration: version %s gets none", c.Version)
	default:
		return nil
	}
	maps.Copy(tree, c.Scheduler)
	for name, value := range map[string]any{"qps": float64(1000), "burst": int64(2000)} {
		if err := unstructured.SetNestedField(tree, value, "clientConnection", name); err != nil {
			return fmt.Errorf("write the scheduler's configuration: %w", err)
		}
	}
	if err := unstructured.SetNestedField(tree, false, "leaderElection", "leaderElect"); err != nil {
		return fmt.Errorf("write the scheduler's configuration: %w", err)
	}
	var err error
	if p.schedulerConfig, err = yaml.Marshal(tree); err != nil {
		return fmt.Errorf("write the scheduler's configuration: %w", err)
	}
	return nil
}

// stackOf returns the running implementations; there are no kubelets.
func stackOf(c clusters.Config) clusters.Stack {
	s := c.Stack
	s.Kubelet = ""
	if !has(c, spec.Scheduler) {
		s.Scheduler = spec.None
	}
	if !has(c, spec.Controllers) && s.Controllers != spec.Own {
		s.Controllers = spec.None
	}
	return s
}

func (s parts) abandon(ctx context.Context, c clusters.Config, r record, cause error) error {
	if ctx.Err() != nil {
		cause = context.Cause(ctx)
	}
	if c.Keep {
		r.Kept, _, _ = strings.Cut(cause.Error(), "\n")
		return errors.Join(fmt.Errorf("create cluster %q: %w\nit is kept in %s; \"dratest cluster delete %s\" removes it", c.Name, cause, s.store.Folder(c.Name), c.Name),
			s.store.Save(r.Name, r))
	}
	cleanup, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTimeout)
	defer cancel()
	if err := s.remove(cleanup, r); err != nil {
		return fmt.Errorf("create cluster %q: %w\nwhat was made could not be removed, run \"dratest cluster delete %s\": %w", c.Name, cause, c.Name, err)
	}
	return fmt.Errorf("create cluster %q: %w", c.Name, cause)
}
