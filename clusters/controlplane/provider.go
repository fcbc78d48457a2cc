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

// Provider runs control planes as local processes. Clusters coexist; each has a directory below State.
type Provider struct {
	Programs Programs
	// Progress receives progress lines; nil discards them.
	Progress *progress.Printer
	// State is the directory with one subdirectory per cluster; empty means .controlplane in state.Dir, beside the
	// clusters of other providers.
	State string

	host    host // nil means this machine
	connect func(kubeconfig string) (api, error)
	locks   state.Locks // of temporary clusters
}

var _ clusters.Provider = (*Provider)(nil)

// Name implements clusters.Provider.
func (*Provider) Name() string { return clusters.ProviderControlPlane }

// api is the API client used while creating a cluster.
type api struct {
	client kubernetes.Interface
	// healthy returns an error until the URL answers.
	healthy func(ctx context.Context, url string) error
	apply   func(ctx context.Context, manifest []byte) error
}

// record is the stored state of a cluster. It is written before the first process starts and after each start. The
// newest process can be missing if dratest was killed; stop finds it.
type record struct {
	Name    string         `json:"name"`
	Version string         `json:"version"`
	Nodes   int            `json:"nodes,omitempty"`
	Stack   clusters.Stack `json:"stack,omitzero"`
	// BindingTimeout is the scheduler's; 0 for Kubernetes' default or without a scheduler.
	BindingTimeout time.Duration `json:"bindingTimeout,omitzero"`
	// DefaultsProfile is the scheduler profile with nothing set; empty if it has none.
	DefaultsProfile string    `json:"defaultsProfile,omitempty"`
	Created         time.Time `json:"created"`
	// Ports are the listening ports by process name.
	Ports     map[string]int `json:"ports,omitempty"`
	Processes []process      `json:"processes,omitempty"`
	// Ready means the cluster's creation is complete.
	Ready bool `json:"ready,omitempty"`
	// Temporary clusters belong to the process holding their lock.
	Temporary bool `json:"temporary,omitempty"`
	// Kept is the creation error of a cluster kept for debugging.
	Kept string `json:"kept,omitempty"`
}

// parts are a provider's dependencies with defaults filled in.
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

// Lock keeps other processes from creating, deleting or locking the cluster until release is called; the provider's
// own methods still work. The error names the current holder.
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

// KubeconfigOf returns the path of the kubeconfig of a cluster's program.
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

// Processes returns the cluster's processes by program name, as "kube-scheduler".
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

// Has reports whether this provider made a cluster of the name.
func (p *Provider) Has(name string) (bool, error) {
	s, err := p.parts()
	if err != nil {
		return false, err
	}
	_, known, err := s.store.Load(name)
	return known, err
}
