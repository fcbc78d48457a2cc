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

package apiserver

import (
	"context"
	"errors"
	"fmt"
	"os"

	"k8s.io/client-go/rest"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Provider provides components running as local processes.
type Provider interface {
	// Processes are them by the names of the programs.
	Processes(cluster string) (map[string]clusters.Process, error)
	// KubeconfigOf returns the path of a program's kubeconfig.
	KubeconfigOf(cluster, program string) (string, error)
	// Restart restarts programs, and returns once they are healthy.
	Restart(ctx context.Context, cluster string, programs ...string) error
}

// Plane is a control plane of local processes, with a proxy for each kind of component.
type Plane struct {
	provider Provider
	cluster  string
	config   *rest.Config
	dir      string
	behind   map[string]*Proxy
}

// NewPlane is a cluster's control plane, with config for an administrator. dir is for kubeconfigs.
func NewPlane(p Provider, cluster string, config *rest.Config, dir string) *Plane {
	return &Plane{provider: p, cluster: cluster, config: config, dir: dir, behind: map[string]*Proxy{}}
}

func programs(component string) []string {
	if component == spec.Scheduler {
		return []string{"kube-scheduler"}
	}
	return []string{"kube-controller-manager", "dra-controller-manager"}
}

// Place restarts components behind proxies, unless done already.
func (p *Plane) Place(ctx context.Context, components ...string) error {
	for _, component := range components {
		if p.behind[component] != nil {
			continue
		}
		proxy, err := p.place(ctx, component)
		if err != nil {
			return fmt.Errorf("put %s behind a proxy: %w", component, err)
		}
		p.behind[component] = proxy
	}
	return nil
}

// Turn turns on a mutant for a component behind its proxy, without restarting it.
func (p *Plane) Turn(m *Mutant) { p.behind[m.Of].Turn(m) }

// Restore turns the mutant off, and restarts the component, since it may have missed something.
func (p *Plane) Restore(ctx context.Context, m *Mutant) error {
	p.behind[m.Of].Turn(nil)
	running, err := p.running(m.Of)
	if err != nil {
		return err
	}
	return p.provider.Restart(ctx, p.cluster, running...)
}

// Faults returns the errors of a component's proxy.
func (p *Plane) Faults(m *Mutant) []string { return p.behind[m.Of].Faults() }

// Close stops all proxies; the components behind them are unusable then.
func (p *Plane) Close() error {
	var errs []error
	for _, proxy := range p.behind {
		errs = append(errs, proxy.Close())
	}
	return errors.Join(errs...)
}

// place restarts a component with the kubeconfig of a proxy instead of its own.
func (p *Plane) place(ctx context.Context, component string) (*Proxy, error) {
	running, err := p.running(component)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(p.dir, component+"-")
	if err != nil {
		return nil, err
	}
	proxy, err := Start(ctx, p.config, dir)
	if err != nil {
		return nil, err
	}
	through, err := os.ReadFile(proxy.Kubeconfig)
	for _, program := range running {
		path, findErr := p.provider.KubeconfigOf(p.cluster, program)
		if err = errors.Join(err, findErr); err == nil {
			err = os.WriteFile(path, through, 0o600)
		}
	}
	if err == nil {
		err = p.provider.Restart(ctx, p.cluster, running...)
	}
	if err != nil {
		return nil, errors.Join(err, proxy.Close())
	}
	return proxy, nil
}

func (p *Plane) running(component string) ([]string, error) {
	all, err := p.provider.Processes(p.cluster)
	if err != nil {
		return nil, err
	}
	var running []string
	for _, program := range programs(component) {
		if _, ok := all[program]; ok {
			running = append(running, program)
		}
	}
	if len(running) == 0 {
		return nil, fmt.Errorf("the control plane has no %s", component)
	}
	return running, nil
}
