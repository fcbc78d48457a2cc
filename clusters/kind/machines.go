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

	"github.com/dra-conformance/dratest/clusters"
)

var _ clusters.Opener = (*Provider)(nil)

// Machines returns the nodes of a running cluster made by dratest.
func (p *Provider) Machines(ctx context.Context, name string) ([]clusters.Machine, error) {
	s, err := p.parts()
	if err != nil {
		return nil, err
	}
	r, err := s.store.mustLoad(name)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", clusters.ErrEnvironment, err)
	}
	if err := s.mustRun(ctx, r); err != nil {
		return nil, err
	}
	all, err := s.maker.ListNodes(name)
	if err != nil {
		return nil, fmt.Errorf("list nodes: %w", err)
	}
	machines := make([]clusters.Machine, 0, len(all))
	for _, node := range all {
		machines = append(machines, member{node})
	}
	return machines, nil
}

// Load implements clusters.Machine.
func (m member) Load(ctx context.Context, image clusters.ComponentImage) (loaded bool, err error) {
	return m.load(ctx, image)
}
