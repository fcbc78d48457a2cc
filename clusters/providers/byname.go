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

package providers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dra-conformance/dratest/clusters"
)

// maker is the common interface of both providers for existing clusters.
type maker interface {
	Logs(ctx context.Context, name, dir string) error
	Delete(ctx context.Context, name string) error
	Kubeconfig(name string) (string, error)
	Lock(name string) (release func(), err error)
}

// makerOf returns the provider of a cluster; for an unknown name, kind returns the error.
func (c *Clusters) makerOf(name string) (maker, error) {
	has, err := c.controlPlane.Has(name)
	if err != nil {
		return nil, err
	}
	if has {
		return &c.controlPlane, nil
	}
	return &c.Provider, nil
}

// List returns the clusters of all providers, by name. If one provider fails, for example without a container engine,
// the others' clusters are still returned.
func (c *Clusters) List(ctx context.Context) ([]clusters.Cluster, error) {
	planes, err := c.controlPlane.List(ctx)
	kinds, kindErr := c.Provider.List(ctx)
	all := slices.Concat(kinds, planes)
	slices.SortStableFunc(all, func(a, b clusters.Cluster) int { return strings.Compare(a.Name, b.Name) })
	if err != nil && kindErr != nil && err.Error() == kindErr.Error() {
		kindErr = nil // both look for the state directory
	}
	return all, errors.Join(err, kindErr)
}

// Logs implements clusters.Provider.
func (c *Clusters) Logs(ctx context.Context, name, dir string) error {
	m, err := c.makerOf(name)
	if err != nil {
		return err
	}
	return m.Logs(ctx, name, dir)
}

// Delete implements clusters.Provider.
func (c *Clusters) Delete(ctx context.Context, name string) error {
	m, err := c.makerOf(name)
	if err != nil {
		return err
	}
	return m.Delete(ctx, name)
}

// Kubeconfig is the path of the cluster's own kubeconfig.
func (c *Clusters) Kubeconfig(name string) (string, error) {
	m, err := c.makerOf(name)
	if err != nil {
		return "", err
	}
	return m.Kubeconfig(name)
}

// Lock keeps other processes from the cluster until release is called.
func (c *Clusters) Lock(name string) (release func(), err error) {
	m, err := c.makerOf(name)
	if err != nil {
		return nil, err
	}
	return m.Lock(name)
}

// Export merges the cluster's kubeconfig into the file at path.
func (c *Clusters) Export(name, path string) error {
	if err := c.mustBeKind(name, "its kubeconfig is not added to others: use the path that \"dratest cluster kubeconfig\" prints"); err != nil {
		return err
	}
	return c.Provider.Export(name, path)
}

// Processes returns a control plane's processes by program name.
func (c *Clusters) Processes(name string) (map[string]clusters.Process, error) {
	return c.controlPlane.Processes(name)
}

// KubeconfigOf returns the path of the kubeconfig of a control plane's program.
func (c *Clusters) KubeconfigOf(name, program string) (string, error) {
	return c.controlPlane.KubeconfigOf(name, program)
}

// Healthy returns an error unless a component of a control plane is healthy.
func (c *Clusters) Healthy(ctx context.Context, name, program string) error {
	return c.controlPlane.Healthy(ctx, name, program)
}

// Restart kills components of a control plane and starts them again.
func (c *Clusters) Restart(ctx context.Context, name string, programs ...string) error {
	return c.controlPlane.Restart(ctx, name, programs...)
}

// Switch implements clusters.Switcher.
func (c *Clusters) Switch(ctx context.Context, name string, to clusters.Stack) ([]clusters.Switched, error) {
	if err := c.mustBeKind(name, "its components cannot be switched: make another one with the stack that you want"); err != nil {
		return nil, err
	}
	return c.Provider.Switch(ctx, name, to)
}

// Load imports an image into all nodes of a cluster, see kind.Provider.Load.
func (c *Clusters) Load(ctx context.Context, name, image string) error {
	if err := c.mustBeKind(name, "it has no nodes that run containers"); err != nil {
		return err
	}
	return c.Provider.Load(ctx, name, image)
}

// Machines implements clusters.Opener.
func (c *Clusters) Machines(ctx context.Context, name string) ([]clusters.Machine, error) {
	if err := c.mustBeKind(name, "it has no nodes on which one could work"); err != nil {
		return nil, err
	}
	return c.Provider.Machines(ctx, name)
}

// mustBeKind returns an error with the reason for a control plane.
func (c *Clusters) mustBeKind(name, otherwise string) error {
	has, err := c.controlPlane.Has(name)
	if err == nil && has {
		err = fmt.Errorf("%w: cluster %q was made by provider %s: %s", clusters.ErrEnvironment, name, clusters.ProviderControlPlane, otherwise)
	}
	return err
}
