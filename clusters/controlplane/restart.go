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
	"errors"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/dra-conformance/dratest/clusters"
)

// Restart kills components of a running cluster with SIGKILL, all before the first restart, and returns once they are
// Healthy again with the same arguments. A component not running is an error.
func (p *Provider) Restart(ctx context.Context, name string, programs ...string) error {
	s, err := p.parts()
	if err != nil {
		return err
	}
	r, err := s.store.MustLoad(name)
	if err != nil {
		return err
	}
	var which []int
	for _, program := range programs {
		i := slices.IndexFunc(r.Processes, func(p process) bool { return p.Name == program })
		if i < 0 {
			return fmt.Errorf("restart %s of cluster %q: it has none", program, name)
		}
		which = append(which, i)
	}
	if err := s.restart(ctx, &r, which); err != nil {
		return fmt.Errorf("restart %v of cluster %q: %w", programs, name, err)
	}
	err = wait.PollUntilContextCancel(ctx, pollInterval, true, func(ctx context.Context) (bool, error) {
		for _, i := range which {
			if !s.host.Alive(r.Processes[i]) {
				return false, fmt.Errorf("%s ends as soon as it is started", r.Processes[i].Name)
			}
			if p.Healthy(ctx, name, r.Processes[i].Name) != nil {
				return false, nil
			}
		}
		return true, nil
	})
	if err != nil {
		return fmt.Errorf("wait for %v of cluster %q to work again: %w", programs, name, err)
	}
	return nil
}

func (s parts) restart(ctx context.Context, r *record, which []int) error {
	var all []command
	for _, i := range which {
		c, err := s.host.Command(r.Processes[i])
		if err != nil {
			return err
		}
		all = append(all, c)
	}
	var errs []error
	for _, i := range which {
		errs = append(errs, s.host.Kill(r.Processes[i]))
	}
	// A failed start does not prevent the others.
	for at, i := range which {
		if err := s.startAgain(ctx, r, i, all[at]); err != nil {
			errs = append(errs, fmt.Errorf("start %s again: %w", r.Processes[i].Name, err))
		}
	}
	return errors.Join(errs...)
}

func (s parts) startAgain(ctx context.Context, r *record, i int, c command) error {
	old := r.Processes[i]
	// Threads may outlive their process for a moment and hold its port; other connections may also take it in between.
	err := wait.PollUntilContextTimeout(ctx, pollInterval/5, stopTimeout, true, func(ctx context.Context) (bool, error) {
		return !s.host.Alive(old) && s.host.Free(ctx, r.Ports[old.Name]), nil
	})
	if err != nil {
		return fmt.Errorf("%w: wait for the killed process to end and for its port: %w", clusters.ErrEnvironment, err)
	}
	l := layout{dir: s.store.Folder(r.Name)}
	started, _, err := s.host.Start(c, l.dir, l.file(c.name+".log"))
	if err != nil {
		return err // the record has its arguments
	}
	r.Processes[i] = started
	return s.store.Save(r.Name, *r)
}
