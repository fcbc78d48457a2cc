package controlplane

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/dra-conformance/dratest/clusters"
)

// Restart kills a component of a running cluster with SIGKILL, starts it again with the
// arguments that it had, and returns once it answers, as Healthy has it. One that does not
// run is an error: nothing would be killed.
func (p *Provider) Restart(ctx context.Context, name, program string) error {
	s, err := p.parts()
	if err != nil {
		return err
	}
	r, err := s.store.MustLoad(name)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(r.Processes, func(p process) bool { return p.Name == program })
	if i < 0 {
		return fmt.Errorf("restart %s of cluster %q: it has none", program, name)
	}
	if err := s.restart(ctx, &r, i); err != nil {
		return fmt.Errorf("restart %s of cluster %q: %w", program, name, err)
	}
	err = wait.PollUntilContextCancel(ctx, pollInterval, true, func(ctx context.Context) (bool, error) {
		if !s.host.Alive(r.Processes[i]) {
			return false, errors.New("it ends as soon as it is started")
		}
		return p.Healthy(ctx, name, program) == nil, nil
	})
	if err != nil {
		return fmt.Errorf("wait for %s of cluster %q to work again: %w", program, name, err)
	}
	return nil
}

// restart replaces a process, and remembers which one is there instead.
func (s parts) restart(ctx context.Context, r *record, i int) error {
	old, l := r.Processes[i], layout{dir: s.store.Folder(r.Name)}
	c, err := s.host.Command(old)
	if err != nil {
		return err
	}
	if err := s.host.Kill(old); err != nil {
		return err
	}
	// Threads may live on for a moment when their process counts as ended, and have its port;
	// somebody's connection may get it in between, too.
	err = wait.PollUntilContextTimeout(ctx, pollInterval/5, stopTimeout, true, func(ctx context.Context) (bool, error) {
		return !s.host.Alive(old) && s.host.Free(ctx, r.Ports[old.Name]), nil
	})
	if err != nil {
		return fmt.Errorf("%w: wait for the killed process to end and for its port: %w", clusters.ErrEnvironment, err)
	}
	started, _, err := s.host.Start(c, l.dir, l.file(c.name+".log"))
	if err != nil {
		return err // what is remembered has its arguments
	}
	r.Processes[i] = started
	return s.store.Save(r.Name, *r)
}
