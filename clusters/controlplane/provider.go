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
	"path/filepath"
	"time"

	"k8s.io/client-go/kubernetes"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/clusters/state"
)

// Provider runs control planes as processes of this machine. Several live side by
// side; each has a folder below State.
type Provider struct {
	Programs Programs
	// Progress is told what happens; nil means nobody is.
	Progress *progress.Printer
	// State is the folder with one folder per cluster; empty means .controlplane in
	// state.Dir, beside the clusters of other providers.
	State string

	host    host // nil means this machine
	connect func(kubeconfig string) (api, error)
	locks   state.Locks // of temporary clusters
}

var _ clusters.Provider = (*Provider)(nil)

// Name implements clusters.Provider.
func (*Provider) Name() string { return clusters.ProviderControlPlane }

// api is what a cluster's maker asks of it.
type api struct {
	client kubernetes.Interface
	// healthy is an error until something answers at an address of the cluster.
	healthy func(ctx context.Context, url string) error
	// apply makes the objects of a manifest.
	apply func(ctx context.Context, manifest []byte) error
}

// record is what is remembered about one cluster. It is written before the first process
// is started and after each, so that what a killed process leaves behind is known, but
// for one that it had just started (docs/adr/0014).
type record struct {
	Name    string         `json:"name"`
	Version string         `json:"version"`
	Nodes   int            `json:"nodes,omitempty"`
	Stack   clusters.Stack `json:"stack,omitzero"`
	// BindingTimeout is the scheduler's; 0 if it has Kubernetes' own, or there is none.
	BindingTimeout time.Duration `json:"bindingTimeout,omitzero"`
	// DefaultsProfile is the scheduler's in which nothing is set; empty if it has none.
	DefaultsProfile string    `json:"defaultsProfile,omitempty"`
	Created         time.Time `json:"created"`
	// Ports are those that processes listen on, by the name of the process.
	Ports     map[string]int `json:"ports,omitempty"`
	Processes []process      `json:"processes,omitempty"`
	// Ready: the cluster's creation came to its end.
	Ready bool `json:"ready,omitempty"`
	// Temporary: it belongs to the process that made it, which holds its lock.
	Temporary bool `json:"temporary,omitempty"`
	// Kept is why the creation failed of a cluster that was kept for a look.
	Kept string `json:"kept,omitempty"`
}

// parts are a provider's collaborators with the defaults filled in.
type parts struct {
	host     host
	connect  func(kubeconfig string) (api, error)
	store    state.Store[record]
	progress *progress.Printer
}

func (p *Provider) parts() (parts, error) {
	out := parts{host: p.host, connect: p.connect, store: state.Store[record]{Dir: p.State}, progress: p.Progress}
	if out.host == nil {
		out.host = machine{}
	}
	if out.connect == nil {
		out.connect = connect
	}
	if out.progress == nil {
		out.progress = &progress.Printer{}
	}
	if p.State == "" {
		dir, err := state.Dir()
		if err != nil {
			return parts{}, err
		}
		out.store.Dir = filepath.Join(dir, ".controlplane")
	}
	return out, nil
}

// Lock keeps other processes from creating, deleting or holding the cluster until
// release is called; the provider's own methods go on working. The error says which
// process holds it already.
func (p *Provider) Lock(name string) (release func(), err error) {
	s, err := p.parts()
	if err != nil {
		return nil, err
	}
	return s.store.Hold(&p.locks, name)
}

// Kubeconfig is the path of the cluster's own kubeconfig.
func (p *Provider) Kubeconfig(name string) (string, error) {
	s, err := p.parts()
	if err != nil {
		return "", err
	}
	if _, err := s.store.MustLoad(name); err != nil {
		return "", err
	}
	return s.store.Kubeconfig(name), nil
}

// KubeconfigOf is the path of the kubeconfig that a program of the cluster is started with.
func (p *Provider) KubeconfigOf(name, program string) (string, error) {
	s, err := p.parts()
	if err != nil {
		return "", err
	}
	if _, err := s.store.MustLoad(name); err != nil {
		return "", err
	}
	return layout{dir: s.store.Folder(name)}.kubeconfig(program), nil
}

// Processes are the cluster's processes by the names of the programs, as
// "kube-scheduler".
func (p *Provider) Processes(name string) (map[string]clusters.Process, error) {
	s, err := p.parts()
	if err != nil {
		return nil, err
	}
	r, err := s.store.MustLoad(name)
	if err != nil {
		return nil, err
	}
	l := layout{ports: r.Ports}
	processes := map[string]clusters.Process{}
	for _, one := range r.Processes {
		processes[one.Name] = clusters.Process{ID: one.PID, URL: l.url(one.Name)}
	}
	return processes, nil
}

// Has tells whether this provider made a cluster of the name.
func (p *Provider) Has(name string) (bool, error) {
	s, err := p.parts()
	if err != nil {
		return false, err
	}
	_, known, err := s.store.Load(name)
	return known, err
}
