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

	"github.com/dra-conformance/dratest/clusters"
)

// List returns the clusters made by this provider, by name.
func (p *Provider) List(context.Context) ([]clusters.Cluster, error) {
	s, err := p.parts()
	if err != nil {
		return nil, err
	}
	records, err := s.store.All()
	if err != nil {
		return nil, err
	}
	var out []clusters.Cluster
	for _, r := range records {
		out = append(out, s.cluster(r, s.status(r)))
	}
	return out, nil
}

func (s parts) status(r record) clusters.Status {
	running := s.running(r)
	switch {
	case r.Kept != "":
		return clusters.Broken
	case !r.Ready:
		if s.store.Free(r.Name) {
			return clusters.Broken // the creating process is gone
		}
		return clusters.Creating
	case running == 0:
		return clusters.Stopped
	case r.Temporary && s.store.Free(r.Name):
		return clusters.Abandoned
	case running == len(r.Processes):
		return clusters.Running
	default:
		return clusters.Broken
	}
}

func (s parts) cluster(r record, status clusters.Status) clusters.Cluster {
	return clusters.Cluster{
		Name: r.Name, Provider: clusters.ProviderControlPlane, Kubeconfig: s.store.Kubeconfig(r.Name),
		Version: r.Version, Nodes: r.Nodes, Created: r.Created, Stack: r.Stack, Status: status, BindingTimeout: r.BindingTimeout, DefaultsProfile: r.DefaultsProfile,
	}
}
