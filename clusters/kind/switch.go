package kind

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/staticpod"
)

var _ clusters.Switcher = (*Provider)(nil)

// Switch replaces components of a running cluster that dratest made. Cases may
// run there meanwhile.
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
	scheduler, err := p.ownScheduler(ctx, to, r.Version)
	if err != nil {
		return nil, fmt.Errorf("switch cluster %q: %w", name, err)
	}
	client, err := s.client(name)
	if err != nil {
		return nil, err
	}
	return s.switchTo(ctx, &r, client, to, scheduler)
}

// mustRun is an error unless all of the cluster's nodes run.
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

// ownScheduler is the image of the scheduler if the stack has ours.
func (p *Provider) ownScheduler(ctx context.Context, s clusters.Stack, version string) (clusters.ComponentImage, error) {
	if s.Scheduler != clusters.Own {
		return clusters.ComponentImage{}, nil
	}
	if p.Scheduler == nil {
		return clusters.ComponentImage{}, fmt.Errorf("%w: no own scheduler was given", clusters.ErrEnvironment)
	}
	return p.Scheduler(ctx, version)
}

// client talks to the cluster's API server.
func (s parts) client(name string) (kubernetes.Interface, error) {
	config, err := clientcmd.BuildConfigFromFlags("", s.store.kubeconfig(name))
	if err != nil {
		return nil, fmt.Errorf("read the kubeconfig: %w", err)
	}
	config.QPS = -1 // few calls, none of which should wait
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("make a client: %w", err)
	}
	return client, nil
}

// switchUsually is the kubelet's: it finds the old pod still ending, and looks
// again ten seconds later (k8s.io/kubernetes v1.37.1 pkg/kubelet/pod_workers.go:
// a static pod waits for the one of the same name), as in an upgrade by kubeadm.
const switchUsually = 13 * time.Second

// switchTo gives a cluster the components of a stack, and remembers it.
func (s parts) switchTo(ctx context.Context, r *record, client kubernetes.Interface, to clusters.Stack, scheduler clusters.ComponentImage) ([]clusters.Switched, error) {
	if to.Scheduler == "" {
		return nil, nil
	}
	node, err := s.controlPlane(r.Name)
	if err != nil {
		return nil, fmt.Errorf("switch cluster %q: %w", r.Name, err)
	}
	if to.Scheduler == clusters.Own {
		if err := s.load(ctx, node, scheduler); err != nil {
			return nil, err
		}
	}
	c := staticpod.Scheduler()
	var done staticpod.Replaced
	err = s.progress.Step(fmt.Sprintf("switch %s on %s to %s", c.Name, node, to.Scheduler), switchUsually, func() error {
		replacement, err := s.replacement(ctx, node, c, r.Version, scheduler)
		if err != nil {
			return err
		}
		done, err = staticpod.Replace(ctx, node, client, replacement)
		// Whatever has come of it: the record follows the manifest.
		return errors.Join(err, s.remember(ctx, node, c, r))
	})
	if err != nil {
		return nil, fmt.Errorf("switch cluster %q: %w", r.Name, err)
	}
	return []clusters.Switched{{Component: c.Name, Node: node.String(), From: done.From, To: done.To, Gap: done.Gap}}, nil
}

// load gives an image to a node, and says so if that takes time.
func (s parts) load(ctx context.Context, node member, image clusters.ComponentImage) error {
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

// replacement is what a component of the version is to run: the image, or what
// kubeadm made it run if there is none.
func (s parts) replacement(ctx context.Context, node member, c staticpod.Component, version string, image clusters.ComponentImage) (staticpod.Replacement, error) {
	out := staticpod.Replacement{Component: c, Version: version}
	manifest, err := staticpod.Read(ctx, node, c)
	if err != nil {
		return out, err
	}
	if image.Ref == "" {
		out.Manifest, err = staticpod.Original(manifest)
		return out, err
	}
	if image.Kubernetes != version {
		return out, fmt.Errorf("%w for %s: it is of Kubernetes %s, the cluster of %s", clusters.ErrUnknownVersion, image.Ref, image.Kubernetes, version)
	}
	out.Manifest, err = staticpod.Substitute(manifest, image.Ref, image.Args)
	return out, err
}

// rememberTimeout bounds reading one file of a node.
const rememberTimeout = 10 * time.Second

// remember saves whose component the node's manifest names, also after ctx has
// ended.
func (s parts) remember(ctx context.Context, node member, c staticpod.Component, r *record) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rememberTimeout)
	defer cancel()
	manifest, err := staticpod.Read(ctx, node, c)
	if err != nil {
		return err
	}
	substituted, err := staticpod.Substituted(manifest)
	if err != nil {
		return err
	}
	r.Stack.Scheduler = clusters.Stock
	if substituted {
		r.Stack.Scheduler = clusters.Own
	}
	return s.store.save(*r)
}
