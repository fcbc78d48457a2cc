package controlplane

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/dra-conformance/dratest/clusters"
)

// Programs builds or finds what a control plane runs; each function is called only
// for clusters that are to have the program.
type Programs struct {
	// Kubernetes returns a program of a version, such as "kube-apiserver".
	Kubernetes func(ctx context.Context, version, program string) (path string, err error)
	Etcd       func(ctx context.Context, version string) (path string, err error)
	Kwok       func(ctx context.Context, version string) (path string, err error)
	// Scheduler is this project's, with a configuration that names the kubeconfig.
	Scheduler func(ctx context.Context, version, kubeconfig string) (path string, config []byte, err error)
	// Controllers are this project's, with the manifest that has their permissions.
	Controllers func(ctx context.Context, version string) (path string, manifest []byte, err error)
}

// The names of the processes, which are those of their logs and programs.
const (
	etcd              = "etcd"
	apiserver         = "kube-apiserver"
	controllerManager = "kube-controller-manager"
	scheduler         = "kube-scheduler"
	ownControllers    = "dra-controller-manager"
	kwok              = "kwok"
)

// programs are the ones that a cluster runs.
type programs struct {
	// paths are the programs' by the names of their processes.
	paths map[string]string
	// schedulerConfig is the scheduler's file; empty if it takes none.
	schedulerConfig []byte
	// controllersManifest has the permissions of own controllers.
	controllersManifest []byte
}

func has(c clusters.Config, component string) bool { return !slices.Contains(c.Without, component) }

// find finds all programs that a cluster is to have.
func (p Programs) find(ctx context.Context, c clusters.Config, schedulerKubeconfig string) (programs, error) {
	found := programs{paths: map[string]string{}}
	add := func(name, path string, err error) error {
		if err != nil {
			return fmt.Errorf("find %s: %w", name, err)
		}
		found.paths[name] = path
		return nil
	}
	path, err := p.Etcd(ctx, c.Version)
	if err := add(etcd, path, err); err != nil {
		return found, err
	}
	names := []string{apiserver}
	if has(c, clusters.WithoutControllers) {
		names = append(names, controllerManager)
	}
	if has(c, clusters.WithoutScheduler) && c.Stack.Scheduler != clusters.Own {
		names = append(names, scheduler)
	}
	for _, name := range names {
		path, err := p.Kubernetes(ctx, c.Version, name)
		if err := add(name, path, err); err != nil {
			return found, err
		}
	}
	if c.Nodes > 0 {
		path, err := p.Kwok(ctx, c.Version)
		if err := add(kwok, path, err); err != nil {
			return found, err
		}
	}
	if err := p.findOwn(ctx, c, schedulerKubeconfig, &found); err != nil {
		return found, err
	}
	return found, found.replace(c.Programs)
}

// replace takes the programs that a cluster's configuration names for those of its version
// and stack.
func (p programs) replace(others map[string]string) error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(others)) {
		if _, ok := p.paths[name]; !ok {
			errs = append(errs, fmt.Errorf("programs: the control plane has no %q, only %s", name, strings.Join(slices.Sorted(maps.Keys(p.paths)), ", ")))
			continue
		}
		absolute, err := clusters.ProgramPath(others[name])
		if err != nil {
			errs = append(errs, fmt.Errorf("programs: %s: %w", name, err))
		}
		p.paths[name] = absolute
	}
	return errors.Join(errs...)
}

// findOwn finds this project's components. They are looked for in a checkout, where
// the go command sees each time whether anything has changed, so both at once.
func (p Programs) findOwn(ctx context.Context, c clusters.Config, schedulerKubeconfig string, found *programs) error {
	group, ctx := errgroup.WithContext(ctx)
	var schedulerPath, controllersPath string
	if c.Stack.Scheduler == clusters.Own {
		group.Go(func() (err error) {
			schedulerPath, found.schedulerConfig, err = p.Scheduler(ctx, c.Version, schedulerKubeconfig)
			return err
		})
	}
	if c.Stack.Controllers == clusters.Own {
		group.Go(func() (err error) {
			controllersPath, found.controllersManifest, err = p.Controllers(ctx, c.Version)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return fmt.Errorf("find own components: %w", err)
	}
	if schedulerPath != "" {
		found.paths[scheduler] = schedulerPath
	}
	if controllersPath != "" {
		found.paths[ownControllers] = controllersPath
	}
	return nil
}
