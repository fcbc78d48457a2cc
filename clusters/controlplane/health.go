package controlplane

import (
	"context"
	"fmt"
)

// Healthy is an error unless a component of a running cluster answers that it works.
// The programs are those that serve /healthz at a port of their own: the scheduler, the
// controllers and the API server.
func (p *Provider) Healthy(ctx context.Context, name, program string) error {
	s, err := p.parts()
	if err != nil {
		return err
	}
	r, err := s.store.MustLoad(name)
	if err != nil {
		return err
	}
	if _, ok := r.Ports[program]; !ok {
		return fmt.Errorf("ask %s of cluster %q: it has no port", program, name)
	}
	a, err := s.connect(s.store.Kubeconfig(name))
	if err != nil {
		return err
	}
	return a.healthy(ctx, layout{ports: r.Ports}.url(program)+"/healthz")
}
