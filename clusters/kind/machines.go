package kind

import (
	"context"
	"fmt"

	"github.com/dra-conformance/dratest/clusters"
)

var _ clusters.Opener = (*Provider)(nil)

// Machines are the nodes of a running cluster that dratest made.
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
