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

package existing

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/framework/kube"
)

// reachTimeout bounds the calls checking the cluster.
const reachTimeout = 12 * time.Second

// Provider is the cluster of a kubeconfig and context.
type Provider struct {
	// Kubeconfig is a path; empty means kubectl's default.
	Kubeconfig string
	// Context overrides the kubeconfig's current context.
	Context string
	// Progress receives progress lines; nil discards them.
	Progress *progress.Printer
}

var _ clusters.Provider = (*Provider)(nil)

// Name implements clusters.Provider.
func (*Provider) Name() string { return "existing" }

// Create creates nothing: it checks within 15 seconds that the cluster is reachable and serves DRA. Otherwise the
// error wraps clusters.ErrEnvironment. A configuration requesting other components is rejected; the rest of it is
// ignored.
func (p *Provider) Create(ctx context.Context, c clusters.Config) (clusters.Cluster, error) {
	if c.Stack.HasOwn() {
		return clusters.Cluster{}, fmt.Errorf("%w: the components of a cluster that dratest did not make cannot be chosen", clusters.ErrEnvironment)
	}
	raw, name, err := p.load()
	if err != nil {
		return clusters.Cluster{}, err
	}
	config, err := p.config(raw, name)
	if err != nil {
		return clusters.Cluster{}, err
	}
	config.Timeout = reachTimeout
	ctx, cancel := context.WithTimeout(ctx, reachTimeout)
	defer cancel()
	client, err := kube.NewForConfig(config)
	if err != nil {
		return clusters.Cluster{}, fmt.Errorf("%w: make a client for context %q: %w", clusters.ErrEnvironment, name, err)
	}
	found := clusters.Cluster{Name: name, Status: clusters.Running}
	disco := discovery.ToDiscoveryInterfaceWithContext(client.Discovery())
	version, err := disco.ServerVersionWithContext(ctx)
	if err != nil {
		return clusters.Cluster{}, fmt.Errorf("%w: the API server at %s (context %q) cannot be used: %w: check the address, the credentials and the network",
			clusters.ErrEnvironment, config.Host, name, err)
	}
	found.Version = version.GitVersion
	if err := servesDRA(ctx, disco, config.Host, found.Version); err != nil {
		return clusters.Cluster{}, err
	}
	if versions, err := clusters.FindVersions(ctx, client); err == nil {
		found.Nodes = len(versions.Nodes)
	}
	found.Kubeconfig, err = p.path(raw, name)
	return found, err
}

// servesDRA checks that the cluster serves a version of resource.k8s.io supported by dratest.
func servesDRA(ctx context.Context, disco discovery.DiscoveryInterfaceWithContext, host, version string) error {
	groups, err := disco.ServerGroupsWithContext(ctx)
	if err != nil {
		return fmt.Errorf("%w: ask %s which APIs it serves: %w", clusters.ErrEnvironment, host, err)
	}
	var served []string
	for _, group := range groups.Groups {
		if group.Name != resourceapi.GroupName {
			continue
		}
		for _, v := range group.Versions {
			if v.Version == resourceapi.SchemeGroupVersion.Version {
				return nil
			}
			served = append(served, v.Version)
		}
	}
	advice := "it has been on by default since Kubernetes v1.34: use a newer cluster, or look for " +
		"--runtime-config and the feature gate DynamicResourceAllocation on its API server"
	if len(served) > 0 {
		return fmt.Errorf("%w: the API server at %s (%s) serves %s only as %v, not v1: %s",
			clusters.ErrEnvironment, host, version, resourceapi.GroupName, served, advice)
	}
	return fmt.Errorf("%w: the API server at %s (%s) does not serve DRA (%s/v1): %s",
		clusters.ErrEnvironment, host, version, resourceapi.GroupName, advice)
}

// List returns the one cluster, reachable or not. It does not copy the kubeconfig: the path is empty if a needed copy is
// missing.
func (p *Provider) List(context.Context) ([]clusters.Cluster, error) {
	raw, name, err := p.load()
	if err != nil {
		return nil, err
	}
	found := clusters.Cluster{Name: name}
	if p.usable(raw, name) {
		found.Kubeconfig, err = filepath.Abs(p.Kubeconfig)
	} else if path, pathErr := p.copyPath(name); pathErr == nil && fileExists(path) {
		found.Kubeconfig = path
	}
	return []clusters.Cluster{found}, err
}

// Logs writes versions.json and the logs of the pods in kube-system into dir, as far as the credentials allow; the
// error names missing ones. The name is ignored: there is one cluster.
func (p *Provider) Logs(ctx context.Context, _, dir string) error {
	raw, name, err := p.load()
	if err != nil {
		return err
	}
	config, err := p.config(raw, name)
	if err != nil {
		return err
	}
	client, err := kube.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("make a client for context %q: %w", name, err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("write logs of cluster %q: %w", name, err)
	}
	return p.printer().Step(fmt.Sprintf("collect the logs of cluster %s", name), 0, func() error {
		err := errors.Join(clusters.WriteVersions(ctx, client, dir), clusters.WriteLogs(ctx, client, dir))
		if err != nil {
			return fmt.Errorf("collect logs of cluster %q into %s: %w", name, dir, err)
		}
		return nil
	})
}

func (p *Provider) printer() *progress.Printer {
	if p.Progress == nil {
		return &progress.Printer{}
	}
	return p.Progress
}

// load reads the kubeconfig and finds the name of the context to use.
func (p *Provider) load() (clientcmdapi.Config, string, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = p.Kubeconfig
	rules.WarnIfAllMissing = false
	source := p.Kubeconfig
	if source == "" {
		source = rules.GetDefaultFilename()
	}
	raw, err := rules.Load()
	if err != nil {
		return clientcmdapi.Config{}, "", fmt.Errorf("%w: read kubeconfig %s: %w", clusters.ErrEnvironment, source, err)
	}
	name := p.Context
	if name == "" {
		name = raw.CurrentContext
	}
	if _, ok := raw.Contexts[name]; !ok {
		return clientcmdapi.Config{}, "", fmt.Errorf("%w: kubeconfig %s has no context %q: name another one with --context", clusters.ErrEnvironment, source, name)
	}
	return *raw, name, nil
}

func (p *Provider) config(raw clientcmdapi.Config, name string) (*rest.Config, error) {
	config, err := clientcmd.NewNonInteractiveClientConfig(raw, name, &clientcmd.ConfigOverrides{}, nil).ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("%w: use context %q of the kubeconfig: %w", clusters.ErrEnvironment, name, err)
	}
	return config, nil
}

// usable reports whether the cluster is the current context of the given kubeconfig, so that no copy is needed.
func (p *Provider) usable(raw clientcmdapi.Config, name string) bool {
	return p.Kubeconfig != "" && name == raw.CurrentContext
}

// path returns a kubeconfig with the cluster as current context: the given file if possible, otherwise a copy.
func (p *Provider) path(raw clientcmdapi.Config, name string) (string, error) {
	if p.usable(raw, name) {
		return filepath.Abs(p.Kubeconfig)
	}
	path, err := p.writeCopy(*raw.DeepCopy(), name)
	if err != nil {
		return "", fmt.Errorf("write a kubeconfig for context %q: %w", name, err)
	}
	return path, nil
}
