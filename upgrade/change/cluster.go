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

package change

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/client-go/kubernetes"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/upgrade/path"
)

// Software supplies Kubernetes' own software for steps, building it if missing.
type Software interface {
	// Image returns the image of a control plane component or kube-proxy.
	Image(ctx context.Context, c path.Component, v path.Version) (clusters.ComponentImage, error)
	// Kubelet returns the local path of a kubelet.
	Kubelet(ctx context.Context, v path.Version) (string, error)
}

// Cluster is the cluster to change.
type Cluster struct {
	Name     string
	Client   kubernetes.Interface
	Machines []clusters.Machine
	Software Software
	// Switcher gives it this project's components.
	Switcher clusters.Switcher
	// Timeout bounds the wait for a component after its step; zero means three minutes.
	Timeout time.Duration
	// Down is called while the kubelet of a step is stopped; it may be nil.
	Down func(ctx context.Context, step path.Step) error
}

// Done is the result of a step.
type Done struct {
	// Downtime is the maximum downtime of the component.
	Downtime time.Duration
}

const defaultTimeout = 3 * time.Minute

func (c Cluster) timeout() time.Duration {
	if c.Timeout > 0 {
		return c.Timeout
	}
	return defaultTimeout
}

func (c Cluster) machine(name string) (clusters.Machine, error) {
	for _, m := range c.Machines {
		if m.String() == name {
			return m, nil
		}
	}
	return nil, fmt.Errorf("%w: the cluster has no node %q", clusters.ErrEnvironment, name)
}

// Provide copies the software for the steps of a path to the nodes, so a step takes only the time of the change.
func (c Cluster) Provide(ctx context.Context, p path.Path) error {
	var done []provision
	for _, state := range p.States() {
		for place, software := range state.Software {
			if at := (provision{place, software.Version}); !slices.Contains(done, at) {
				done = append(done, at)
			}
		}
	}
	slices.SortFunc(done, provision.compare)
	for _, at := range done {
		// The initial software is installed, but may be missing where a step would restore it from.
		if err := c.provide(ctx, at); err != nil {
			return err
		}
	}
	return nil
}

// provision is a version at a place.
type provision struct {
	place   path.Place
	version path.Version
}

func (p provision) compare(q provision) int {
	return cmp.Or(p.version.Compare(q.version), strings.Compare(p.place.String(), q.place.String()))
}

func (c Cluster) provide(ctx context.Context, at provision) error {
	if at.place.Component == path.Kubelet {
		m, err := c.machine(at.place.Node)
		if err != nil {
			return err
		}
		program, err := c.Software.Kubelet(ctx, at.version)
		if err != nil {
			return err
		}
		return putKubelet(ctx, m, program, at.version)
	}
	image, err := c.Software.Image(ctx, at.place.Component, at.version)
	if err != nil {
		return err
	}
	for _, m := range c.Machines {
		if at.place.Node != "" && at.place.Node != m.String() {
			continue
		}
		if _, err := m.Load(ctx, image); err != nil {
			return err
		}
	}
	return nil
}

// Do performs a step and waits until its component reports completion. A step done already is only verified. If ctx
// ends in the middle, repeating the step completes it. Errors: clusters.ErrEnvironment with the last observation if
// the component does not become healthy, or of ctx.
func (c Cluster) Do(ctx context.Context, step path.Step) (Done, error) {
	switch {
	case step.From.Own != step.To.Own:
		return c.own(ctx, step)
	case step.Place.Component == path.Proxy:
		return Done{}, c.proxy(ctx, step)
	case step.Drain:
		return c.drained(ctx, step)
	case step.Place.Component == path.Kubelet:
		return c.kubelet(ctx, step)
	default:
		return c.controlPlane(ctx, step)
	}
}
