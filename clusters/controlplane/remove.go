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
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/dra-conformance/dratest/clusters"
)

const stopTimeout = 20 * time.Second

// makeRoom removes leftovers of a killed process or a crashed machine with the name; any other cluster of the name is
// ErrExists.
func (s parts) makeRoom(ctx context.Context, name string) error {
	r, known, err := s.store.Load(name)
	if err != nil || !known {
		return err
	}
	running := s.running(r)
	switch {
	case r.Kept != "":
		return fmt.Errorf("%w: %q is kept since its creation failed (%s): remove it with \"dratest cluster delete %s\"",
			clusters.ErrExists, name, r.Kept, name)
	case !r.Ready:
		s.progress.Printf("     removing what an interrupted creation of cluster %s left behind", name)
	case r.Temporary:
		s.progress.Printf("     removing cluster %s: the process that it was made for is gone", name)
	case running > 0:
		return fmt.Errorf("%w: %q, %d of its %d processes running: use it with --kubeconfig %s, or remove it with \"dratest cluster delete %s\"",
			clusters.ErrExists, name, running, len(r.Processes), s.store.Kubeconfig(name), name)
	default:
		s.progress.Printf("     removing cluster %s: none of its processes runs", name)
	}
	return s.remove(ctx, r)
}

func (s parts) running(r record) int {
	n := 0
	for _, p := range r.Processes {
		if s.host.Alive(p) {
			n++
		}
	}
	return n
}

// Delete removes a cluster made by this provider: its processes, then its directory. A missing cluster is no error.
func (p *Provider) Delete(ctx context.Context, name string) error {
	s, err := p.parts()
	if err != nil {
		return err
	}
	if strings.ContainsRune(name, filepath.Separator) || name == "" || name[0] == '.' {
		return fmt.Errorf("delete cluster: %q is not a cluster's name", name)
	}
	if _, known, err := s.store.Load(name); err == nil && !known {
		return nil
	}
	return s.store.Remove(&p.locks, name, func(r record) error { return s.remove(ctx, r) })
}

// remove removes everything of a cluster. The record goes last, so an interrupted removal can be repeated; the
// directory goes when the lock is released.
func (s parts) remove(ctx context.Context, r record) error {
	if err := s.stop(ctx, r); err != nil {
		return err
	}
	if err := os.RemoveAll(filepath.Join(s.store.Folder(r.Name), "etcd")); err != nil {
		return fmt.Errorf("remove the data: %w", err)
	}
	return s.store.Forget(r.Name)
}

// stop kills a cluster's processes in reverse order and waits until they are gone. No graceful shutdown: the data
// goes with them. If dratest was killed right after starting a process, that process is not recorded.
func (s parts) stop(ctx context.Context, r record) error {
	unrecorded, err := s.host.In(s.store.Folder(r.Name))
	if err != nil {
		return err
	}
	for _, p := range unrecorded {
		if !slices.ContainsFunc(r.Processes, func(known process) bool { return known.PID == p.PID && known.Started == p.Started }) {
			r.Processes = append(r.Processes, p)
		}
	}
	var errs []error
	for _, p := range slices.Backward(r.Processes) {
		errs = append(errs, s.host.Kill(p))
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	err = wait.PollUntilContextTimeout(ctx, pollInterval/5, stopTimeout, true, func(context.Context) (bool, error) {
		return s.running(r) == 0, nil
	})
	if err != nil {
		return fmt.Errorf("%w: wait for %d killed processes to end: %w", clusters.ErrEnvironment, s.running(r), err)
	}
	return nil
}
