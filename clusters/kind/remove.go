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
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/state"
)

// removeTimeout bounds the wait for containers the engine refuses to remove, not counting its response times.
const removeTimeout = 20 * time.Second

// makeRoom removes leftovers of a killed process or engine with the name; any other cluster of the name is ErrExists.
func (s parts) makeRoom(ctx context.Context, name string) error {
	r, known, err := s.store.load(name)
	if err != nil {
		return err
	}
	all, err := s.engine.Nodes(ctx, name)
	if err != nil {
		return fmt.Errorf("create cluster %q: %w", name, err)
	}
	own, foreign := r.split(all)
	if !known {
		own, foreign = nil, all
	}
	running := 0
	for _, c := range own {
		if c.Running {
			running++
		}
	}
	switch {
	case len(foreign) > 0:
		return fmt.Errorf("%w: kind cluster %q is not dratest's: choose another name, or remove it with \"kind delete cluster --name %s\"",
			clusters.ErrExists, name, name)
	case !known:
		return nil
	case r.Kept != "":
		return fmt.Errorf("%w: %q is kept since its creation failed (%s): remove it with \"dratest cluster delete %s\"",
			clusters.ErrExists, name, r.Kept, name)
	case r.complete() && running > 0 && r.Temporary:
		s.progress.Printf("     removing cluster %s: the process that it was made for is gone", name)
	case r.complete() && running > 0:
		return fmt.Errorf("%w: %q, %d of its %d nodes running: use it with --kubeconfig %s, or remove it with \"dratest cluster delete %s\"",
			clusters.ErrExists, name, running, len(r.Containers), s.store.kubeconfig(name), name)
	case !r.complete():
		s.progress.Printf("     removing what an interrupted creation of cluster %s left behind", name)
	default:
		s.progress.Printf("     removing cluster %s: none of its nodes runs, the engine was stopped or reset", name)
	}
	return s.remove(ctx, r)
}

// Delete removes a cluster made by this provider: containers with their volumes, the network if made for dratest and
// unused, exported contexts, and at last the directory. A missing cluster is no error; a foreign one is left alone,
// with an error.
func (p *Provider) Delete(ctx context.Context, name string) error {
	s, err := p.parts()
	if err != nil {
		return err
	}
	if strings.ContainsRune(name, filepath.Separator) || name == "" || name[0] == '.' {
		return fmt.Errorf("delete cluster: %q is not a cluster's name", name)
	}
	if _, known, err := s.store.load(name); err == nil && !known {
		all, err := s.engine.Nodes(ctx, name)
		if err == nil && len(all) > 0 {
			err = fmt.Errorf("kind cluster %q is not dratest's: remove it with \"kind delete cluster --name %s\"", name, name)
		}
		return err
	}
	return s.store.records().Remove(&p.locks, name, func(r record) error { return s.remove(ctx, r) })
}

// remove removes everything of a cluster. The record goes last, so an interrupted removal can be repeated.
func (s parts) remove(ctx context.Context, r record) error {
	all, err := s.engine.Nodes(ctx, r.Name)
	if err != nil {
		return err
	}
	_, foreign := r.split(all)
	if err := s.removeOwn(ctx, r); err != nil {
		return fmt.Errorf("remove containers: %w", err)
	}
	if len(foreign) > 0 {
		s.progress.Printf("     kind cluster %s is not dratest's and stays", r.Name)
	}
	for _, path := range r.Exported {
		if len(foreign) > 0 { // kind's Delete would take these containers too
			s.progress.Printf("     context kind-%s stays in %s", r.Name, path)
			continue
		}
		if err := s.maker.Delete(r.Name, path); err != nil {
			return fmt.Errorf("take the cluster out of %s: %w", path, err)
		}
	}
	if err := s.leaveNetwork(ctx); err != nil {
		return err
	}
	return s.store.forget(r.Name)
}

// removeOwn removes a cluster's containers. An engine rejects removal while kind or a user removes a
// container; only the final absence counts.
func (s parts) removeOwn(ctx context.Context, r record) error {
	var refused time.Time
	return wait.PollUntilContextCancel(ctx, pollInterval, true, func(ctx context.Context) (bool, error) {
		all, err := s.engine.Nodes(ctx, r.Name)
		if err != nil {
			return false, err
		}
		own, _ := r.split(all)
		if len(own) == 0 {
			return true, nil
		}
		switch err := s.engine.Remove(ctx, ids(own)); {
		case err == nil:
			return true, nil
		case refused.IsZero():
			refused = time.Now()
			return false, nil
		case time.Since(refused) > removeTimeout:
			return false, err
		default:
			return false, nil
		}
	})
}

func ids(containers []container) []string {
	var out []string
	for _, c := range containers {
		out = append(out, c.ID)
	}
	return out
}

// madeNetwork marks kind's network, shared by all kind clusters of a machine, as made for a cluster of dratest.
const madeNetwork = "made by dratest\n"

func (s store) networkFile() string { return filepath.Join(s.dir, ".network") }

// useNetwork keeps other processes from removing kind's network until unlock is called, and records whether it has to
// be made.
func (s parts) useNetwork(ctx context.Context) (unlock func(), err error) {
	path := s.store.networkFile()
	f, err := state.LockFile(path, (*flock.Flock).TryRLock)
	if errors.Is(err, state.ErrLocked) {
		return nil, fmt.Errorf("%w: another process is removing a cluster's network: try again", clusters.ErrEnvironment)
	}
	if err != nil {
		return nil, fmt.Errorf("lock the network: %w", err)
	}
	exists, err := s.engine.HasNetwork(ctx)
	if err == nil && !exists {
		err = os.WriteFile(path, []byte(madeNetwork), 0o600)
	}
	if err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("look for kind's network: %w", err)
	}
	return func() { _ = f.Close() }, nil
}

// leaveNetwork removes kind's network if it was made for a cluster of dratest and no kind cluster is left.
func (s parts) leaveNetwork(ctx context.Context) error {
	path := s.store.networkFile()
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	f, err := state.LockFile(path, (*flock.Flock).TryLock)
	if errors.Is(err, state.ErrLocked) {
		return nil // a cluster is being made: the last one to go removes it
	}
	if err != nil {
		return fmt.Errorf("lock the network: %w", err)
	}
	defer func() { _ = f.Close() }()
	text, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	if string(text) != madeNetwork {
		return os.Remove(path) // the network existed before
	}
	left, err := s.engine.Nodes(ctx, "")
	if err != nil || len(left) > 0 {
		return err
	}
	exists, err := s.engine.HasNetwork(ctx)
	if err != nil {
		return err
	}
	if exists {
		err := s.engine.RemoveNetwork(ctx)
		if err != nil && !strings.Contains(err.Error(), "active endpoints") { // else others use it by now
			return fmt.Errorf("remove kind's network: %w", err)
		}
	}
	return os.Remove(path)
}
