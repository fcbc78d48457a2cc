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
	"time"

	"k8s.io/client-go/discovery"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/staticpod"
	"github.com/dra-conformance/dratest/framework/kube"
	"github.com/dra-conformance/dratest/framework/spec"
)

var _ clusters.Switcher = (*Provider)(nil)

// Switch replaces components of a running cluster. Cases may run meanwhile.
func (p *Provider) Switch(ctx context.Context, name string, to clusters.Stack) ([]clusters.Switched, error) {
	if err := to.Validate(); err != nil {
		return nil, fmt.Errorf("switch cluster %q: %w", name, err)
	}
	s, err := p.parts()
	if err != nil {
		return nil, err
	}
	if _, err := s.store.mustLoad(name); err != nil {
		return nil, fmt.Errorf("%w: %w", clusters.ErrEnvironment, err)
	}
	release, err := p.lock(s.store, name)
	if err != nil {
		return nil, err
	}
	defer release()
	r, err := s.store.mustLoad(name)
	if err != nil { // removed just now
		return nil, fmt.Errorf("%w: %w", clusters.ErrEnvironment, err)
	}
	if err := s.mustRun(ctx, r); err != nil {
		return nil, err
	}
	client, err := s.client(name)
	if err != nil {
		return nil, err
	}
	// It may have been upgraded since it was made.
	version, err := discovery.ToDiscoveryInterfaceWithContext(client.Discovery()).ServerVersionWithContext(ctx)
	if err != nil {
		return nil, fmt.Errorf("%w: switch cluster %q: ask the API server for its version: %w", clusters.ErrEnvironment, name, err)
	}
	r.Version = version.GitVersion
	own, err := buildOwn(ctx, p.Images, to, r.Version)
	if err != nil {
		return nil, fmt.Errorf("switch cluster %q: %w", name, err)
	}
	return switching{s, r, client, to, own}.run(ctx)
}

func (s parts) mustRun(ctx context.Context, r record) error {
	all, err := s.engine.Nodes(ctx, r.Name)
	if err != nil {
		return fmt.Errorf("switch cluster %q: %w", r.Name, err)
	}
	own, _ := r.split(all)
	for _, c := range own {
		if !c.Running {
			return fmt.Errorf("%w: node %s of cluster %q does not run", clusters.ErrEnvironment, c.Name, r.Name)
		}
	}
	if !r.complete() || len(own) < len(r.Containers) {
		return fmt.Errorf("%w: cluster %q does not run (see \"dratest cluster list\")", clusters.ErrEnvironment, r.Name)
	}
	return nil
}

func (s parts) client(name string) (kubernetes.Interface, error) {
	config, err := clientcmd.BuildConfigFromFlags("", s.store.kubeconfig(name))
	if err != nil {
		return nil, fmt.Errorf("read the kubeconfig: %w", err)
	}
	config.QPS = -1 // few calls, without delay
	client, err := kube.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("make a client: %w", err)
	}
	return client, nil
}

type switching struct {
	parts

	record record
	client kubernetes.Interface
	to     clusters.Stack
	own    built
}

// run switches the components in order and stops at the first failure.
func (s switching) run(ctx context.Context) ([]clusters.Switched, error) {
	var done []clusters.Switched
	for _, step := range []struct {
		whose spec.Provenance
		do    func(context.Context) ([]clusters.Switched, error)
	}{{s.to.Scheduler, s.scheduler}, {s.to.Controllers, s.controllers}, {s.to.Kubelet, s.kubelets}} {
		if step.whose == "" {
			continue
		}
		switched, err := step.do(ctx)
		if err != nil {
			return done, fmt.Errorf("switch cluster %q: %w", s.record.Name, err)
		}
		done = append(done, switched...)
	}
	return done, nil
}

// staticPodUsually is the kubelet's delay: it finds the old pod still terminating and retries ten seconds later
// (k8s.io/kubernetes v1.37.1 pkg/kubelet/pod_workers.go: a static pod waits for the one of the same name), as in a
// kubeadm upgrade.
const staticPodUsually = 13 * time.Second

func (s switching) scheduler(ctx context.Context) ([]clusters.Switched, error) {
	node, err := s.controlPlane(s.record.Name)
	if err != nil {
		return nil, err
	}
	if s.to.Scheduler == spec.Own {
		if err := s.load(ctx, node, s.own.scheduler); err != nil {
			return nil, err
		}
	}
	c := staticpod.Scheduler()
	var done staticpod.Replaced
	err = s.progress.Step(fmt.Sprintf("switch %s on %s to %s", c.Name, node, s.to.Scheduler), staticPodUsually, func() (err error) {
		done, err = s.replace(ctx, node, c, func(manifest []byte) ([]byte, error) {
			if s.to.Scheduler == spec.Stock {
				return staticpod.Original(manifest)
			}
			return staticpod.Substitute(manifest, s.own.scheduler.Ref, s.own.scheduler.Args)
		})
		return err
	})
	return []clusters.Switched{{Component: c.Name, Node: node.String(), From: done.From, To: done.To, Downtime: done.Downtime()}}, err
}

// replace changes the manifest of a static pod and waits for the new pod.
func (s switching) replace(ctx context.Context, node member, c staticpod.Component, change func(manifest []byte) ([]byte, error)) (staticpod.Replaced, error) {
	manifest, err := staticpod.Read(ctx, node, c)
	if err != nil {
		return staticpod.Replaced{}, err
	}
	r := staticpod.Replacement{Component: c, Version: s.record.Version}
	if r.Manifest, err = change(manifest); err != nil {
		return staticpod.Replaced{}, err
	}
	return staticpod.Replace(ctx, node, s.client, r)
}

// load imports an image into a node and reports it if this takes time.
func (s switching) load(ctx context.Context, node member, image clusters.ComponentImage) error {
	if err := fits(image.Ref, image.Kubernetes, s.record.Version); err != nil {
		return err
	}
	start := time.Now()
	loaded, err := node.load(ctx, image)
	if err != nil {
		return err
	}
	if loaded {
		s.progress.Printf("     loaded %s into %s (%s)", image.Ref, node, time.Since(start).Round(100*time.Millisecond))
	}
	return nil
}
