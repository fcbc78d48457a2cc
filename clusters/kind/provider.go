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

package kind

import (
	"fmt"

	"sigs.k8s.io/kind/pkg/cluster"
	"sigs.k8s.io/kind/pkg/cluster/nodes"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/clusters/state"
)

// Provider makes kind clusters in the machine's Docker engine. Clusters coexist; each has a directory below State.
type Provider struct {
	Images Images
	// Progress receives progress lines; nil discards them.
	Progress *progress.Printer
	// State is the directory with one subdirectory per cluster; empty means state.Dir.
	State string

	engine engine      // nil means docker
	maker  maker       // nil means kind
	locks  state.Locks // of temporary clusters
}

var _ clusters.Provider = (*Provider)(nil)

// Name implements clusters.Provider.
func (*Provider) Name() string { return clusters.ProviderKind }

// maker is the used part of kind's Go package.
type maker interface {
	Create(name string, options ...cluster.CreateOption) error
	ListNodes(name string) ([]nodes.Node, error)
	CollectLogs(name, dir string) error
	ExportKubeConfig(name, path string, internal bool) error
	Delete(name, kubeconfig string) error
}

// parts are a provider's dependencies with defaults filled in.
type parts struct {
	engine   engine
	maker    maker
	store    store
	progress *progress.Printer
}

func (p *Provider) parts() (parts, error) {
	out := parts{engine: p.engine, maker: p.maker, store: store{dir: p.State}, progress: p.Progress}
	if out.progress == nil {
		out.progress = &progress.Printer{}
	}
	if out.engine == nil {
		out.engine = docker{}
	}
	if out.maker == nil {
		out.maker = cluster.NewProvider(cluster.ProviderWithDocker(), cluster.ProviderWithLogger(newLogger(out.progress)))
	}
	if p.State == "" {
		dir, err := state.Dir()
		if err != nil {
			return parts{}, err
		}
		out.store.dir = dir
	}
	return out, nil
}

// Lock keeps other processes from creating, deleting or locking the cluster until release is called; the provider's
// own methods still work. The error names the current holder. A temporary cluster is locked by its provider.
func (p *Provider) Lock(name string) (release func(), err error) {
	parts, err := p.parts()
	if err != nil {
		return nil, err
	}
	return parts.store.records().Hold(&p.locks, name)
}

// lock is Lock for the provider's own methods.
func (p *Provider) lock(s store, name string) (release func(), err error) {
	if p.locks.Have(name) {
		return func() {}, nil
	}
	return s.lock(name)
}

// Kubeconfig is the path of the cluster's own kubeconfig.
func (p *Provider) Kubeconfig(name string) (string, error) {
	parts, err := p.parts()
	if err != nil {
		return "", err
	}
	if _, err := parts.store.mustLoad(name); err != nil {
		return "", err
	}
	return parts.store.kubeconfig(name), nil
}

// Export merges the cluster's kubeconfig into the file at path and makes it the current context there; Delete removes
// it.
func (p *Provider) Export(name, path string) error {
	parts, err := p.parts()
	if err != nil {
		return err
	}
	release, err := p.lock(parts.store, name)
	if err != nil {
		return err
	}
	defer release()
	r, err := parts.store.mustLoad(name)
	if err != nil {
		return err
	}
	if err := parts.maker.ExportKubeConfig(name, path, false); err != nil {
		return fmt.Errorf("export the kubeconfig of cluster %q to %s: %w", name, path, err)
	}
	r.Exported = append(r.Exported, path)
	return parts.store.save(r)
}
