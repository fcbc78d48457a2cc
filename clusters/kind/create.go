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
	"strings"
	"time"

	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/kind/pkg/cluster"
	"sigs.k8s.io/kind/pkg/cluster/nodeutils"

	"github.com/dra-conformance/dratest/clusters"
)

// cleanupTimeout bounds the cleanup after a failed creation, with time for several slow answers of the engine.
const cleanupTimeout = 5 * time.Minute

// Create makes a cluster and returns once its nodes are Ready and service addresses work. On failure or cancellation
// it leaves nothing behind unless Config.Keep is set. Errors are those of clusters.Provider.
func (p *Provider) Create(ctx context.Context, c clusters.Config) (clusters.Cluster, error) {
	c = c.WithDefaults("")
	if err := c.Validate(); err != nil {
		return clusters.Cluster{}, fmt.Errorf("create cluster: %w", err)
	}
	parts, err := p.parts()
	if err != nil {
		return clusters.Cluster{}, err
	}
	release, err := parts.store.lock(c.Name)
	if err != nil {
		return clusters.Cluster{}, err
	}
	made, err := p.create(ctx, parts, c)
	if err != nil || !c.Temporary {
		release()
	} else {
		p.locks.Keep(c.Name, release)
	}
	return made, err
}

// create is Create with the cluster's lock held.
func (p *Provider) create(ctx context.Context, parts parts, c clusters.Config) (clusters.Cluster, error) {
	if err := parts.makeRoom(ctx, c.Name); err != nil {
		return clusters.Cluster{}, err
	}
	m, err := parts.engine.Machine(ctx)
	if err != nil {
		return clusters.Cluster{}, fmt.Errorf("create cluster %q: find out what the machine offers: %w", c.Name, err)
	}
	if err := room(m.Inotify, *c.Workers); err != nil {
		return clusters.Cluster{}, fmt.Errorf("create cluster %q: %w", c.Name, err)
	}
	image, err := p.image(ctx, c)
	if err != nil {
		return clusters.Cluster{}, err
	}
	if _, err := pick(c.Stack.KubeletNodes, c.Name, nodeNames(c)); err != nil {
		return clusters.Cluster{}, fmt.Errorf("create cluster %q: %w", c.Name, err)
	}
	own, err := buildOwn(ctx, p.Images, c.Stack, c.Version)
	if err != nil {
		return clusters.Cluster{}, fmt.Errorf("create cluster %q: %w", c.Name, err)
	}
	config, err := render(c, image, m)
	if err != nil {
		return clusters.Cluster{}, err
	}
	if err := parts.tuneScheduler(c, config); err != nil {
		return clusters.Cluster{}, err
	}
	r := record{Name: c.Name, Version: c.Version, Image: image, Created: time.Now(), Temporary: c.Temporary}
	if err := parts.store.save(r); err != nil {
		return clusters.Cluster{}, err
	}
	usually := time.Duration(12+4*len(config.Nodes)) * time.Second
	err = parts.progress.Step(fmt.Sprintf("create cluster %s (%s)", c.Name, describe(c)), usually, func() error {
		unlock, err := parts.useNetwork(ctx)
		if err != nil {
			return err
		}
		defer unlock()
		err = parts.runKind(ctx, c, r, cluster.CreateWithV1Alpha4Config(config), cluster.CreateWithRetain(true),
			cluster.CreateWithKubeconfigPath(parts.store.kubeconfig(c.Name)))
		if err != nil {
			return err
		}
		return parts.finish(ctx, &r, len(config.Nodes), func(client kubernetes.Interface) error {
			_, err := switching{parts, r, client, ownOf(c.Stack), own}.run(ctx)
			return err
		})
	})
	if err != nil {
		return clusters.Cluster{}, parts.abandon(ctx, c, r, err)
	}
	made := parts.cluster(r, clusters.Running)
	made.Stack = c.Stack
	return made, nil
}

func (p *Provider) image(ctx context.Context, c clusters.Config) (string, error) {
	if c.Image != "" {
		return c.Image, nil
	}
	image, err := p.Images.NodeImage(ctx, c)
	if err != nil {
		return "", fmt.Errorf("create cluster %q: %w", c.Name, err)
	}
	return image, nil
}

// runKind runs kind. As kind takes no context, the cluster's containers are removed until kind fails
// when ctx ends.
func (s parts) runKind(ctx context.Context, c clusters.Config, r record, options ...cluster.CreateOption) error {
	done := make(chan error, 1)
	go func() { done <- s.maker.Create(c.Name, options...) }()
	select {
	case err := <-done:
		return advise(err)
	case <-ctx.Done():
	}
	if c.Keep {
		return context.Cause(ctx)
	}
	s.progress.Printf("     cancelled: removing cluster %s", c.Name)
	cleanup, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTimeout)
	defer cancel()
	ticker := time.NewTicker(300 * time.Millisecond)
	defer ticker.Stop()
	for {
		removeErr := s.removeOwn(cleanup, r)
		select {
		case <-done: //nolint:errcheck // it failed because its containers are gone
			return context.Cause(ctx)
		case <-cleanup.Done():
			return errors.Join(context.Cause(ctx), errors.New("kind has not stopped"), removeErr)
		case <-ticker.C:
		}
	}
}

// finish makes the nodes set up by kind usable; change is called then, before others may use the cluster.
func (s parts) finish(ctx context.Context, r *record, size int, change func(kubernetes.Interface) error) error {
	members, err := s.maker.ListNodes(r.Name)
	if err != nil {
		return fmt.Errorf("list nodes: %w", err)
	}
	client, err := s.client(r.Name)
	if err != nil {
		return err
	}
	start := time.Now()
	if err := connect(ctx, client, members, size); err != nil {
		return fmt.Errorf("connect the pods of all nodes: %w", err)
	}
	s.progress.Printf("     pod network (%s)", time.Since(start).Round(100*time.Millisecond))
	start = time.Now()
	if err := waitReady(ctx, client, size); err != nil {
		return err
	}
	s.progress.Printf("     nodes ready (%s)", time.Since(start).Round(100*time.Millisecond))
	if version, err := nodeutils.KubeVersion(members[0]); err == nil {
		r.Version = version
	}
	if err := change(client); err != nil {
		return err
	}
	return s.adopt(ctx, r)
}

// adopt records the containers of a complete cluster and makes the engine restart them.
func (s parts) adopt(ctx context.Context, r *record) error {
	found, err := s.engine.Nodes(ctx, r.Name)
	if err != nil {
		return err
	}
	for _, c := range found {
		r.Containers = append(r.Containers, c.ID)
	}
	if engine, ok := s.engine.(reviver); ok {
		if err := engine.Revive(ctx, r.Containers); err != nil {
			return err
		}
	}
	return s.store.save(*r)
}

func (s parts) abandon(ctx context.Context, c clusters.Config, r record, cause error) error {
	if ctx.Err() != nil {
		cause = context.Cause(ctx)
	} else if said := s.diagnose(ctx, c.Name); said != "" {
		cause = fmt.Errorf("%w\n%s", cause, said)
	}
	if c.Keep && s.hasNodes(ctx, r) {
		r.Containers = nil
		r.Kept = firstLine(cause.Error())
		return errors.Join(fmt.Errorf("create cluster %q: %w\nits nodes are kept; \"dratest cluster delete %s\" removes them", c.Name, cause, c.Name),
			s.store.save(r))
	}
	cleanup, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTimeout)
	defer cancel()
	r.Containers = nil // everything made since then is ours, recorded or not
	if err := s.remove(cleanup, r); err != nil {
		return fmt.Errorf("create cluster %q: %w\nwhat was made could not be removed, run \"dratest cluster delete %s\": %w", c.Name, cause, c.Name, err)
	}
	return fmt.Errorf("create cluster %q: %w", c.Name, cause)
}

func (s parts) hasNodes(ctx context.Context, r record) bool {
	all, err := s.engine.Nodes(context.WithoutCancel(ctx), r.Name)
	r.Containers = nil
	own, _ := r.split(all)
	return err == nil && len(own) > 0
}

// advise adds advice to known errors of kind.
func advise(err error) error {
	if err != nil && strings.Contains(err.Error(), "failed to pull image") {
		return fmt.Errorf("%w: %w: leave --image out and dratest finds or builds one, or name one that the engine has or can pull",
			clusters.ErrEnvironment, err)
	}
	return err
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
