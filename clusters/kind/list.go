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
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/dra-conformance/dratest/clusters"
)

// List returns the clusters made by dratest, by name, with their status in the engine.
func (p *Provider) List(ctx context.Context) ([]clusters.Cluster, error) {
	s, err := p.parts()
	if err != nil {
		return nil, err
	}
	records, err := s.store.all()
	if err != nil || len(records) == 0 {
		return nil, err
	}
	all, err := s.engine.Nodes(ctx, "")
	if err != nil {
		return nil, fmt.Errorf("list clusters: %w", err)
	}
	var out []clusters.Cluster
	for _, r := range records {
		var own []container
		for _, c := range all {
			if c.Cluster == r.Name && r.owns(c) {
				own = append(own, c)
			}
		}
		found := s.cluster(r, s.status(r, own))
		found.Nodes = len(own)
		out = append(out, found)
	}
	var group errgroup.Group
	for i := range out {
		if out[i].Status == clusters.Running || out[i].Status == clusters.Abandoned {
			group.Go(func() error {
				out[i].Stack, _ = s.stack(ctx, out[i].Name) // empty where it cannot be seen
				return nil
			})
		}
	}
	return out, group.Wait()
}

func (s parts) status(r record, own []container) clusters.Status {
	running := 0
	for _, c := range own {
		if c.Running {
			running++
		}
	}
	switch {
	case r.Kept != "":
		return clusters.Broken
	case !r.complete():
		if s.free(r.Name) {
			return clusters.Broken // the creating process is gone
		}
		return clusters.Creating
	case running > 0 && r.Temporary && s.free(r.Name):
		return clusters.Abandoned
	case running == len(r.Containers):
		return clusters.Running
	case running == 0:
		return clusters.Stopped
	default:
		return clusters.Broken
	}
}

func (s parts) free(name string) bool { return s.store.records().Free(name) }

func (s parts) cluster(r record, status clusters.Status) clusters.Cluster {
	return clusters.Cluster{
		Name:       r.Name,
		Provider:   clusters.ProviderKind,
		Kubeconfig: s.store.kubeconfig(r.Name),
		Version:    r.Version,
		Nodes:      len(r.Containers),
		Created:    r.Created,
		Status:     status,
	}
}
