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
	"maps"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Programs supplies the binaries of a control plane. A cluster requests only those it runs.
type Programs interface {
	// Program returns a program for a Kubernetes version, such as "kube-apiserver" or "etcd".
	Program(ctx context.Context, version, program string) (path string, err error)
	// SchedulerProgram is this project's scheduler, with a configuration naming the kubeconfig.
	SchedulerProgram(ctx context.Context, version, kubeconfig string) (path string, config []byte, err error)
	// ControllersProgram is this project's controllers, with a manifest for their permissions.
	ControllersProgram(ctx context.Context, version string) (path string, manifest []byte, err error)
}

// Process names, also used for logs and programs.
const (
	etcd              = "etcd"
	apiserver         = "kube-apiserver"
	controllerManager = "kube-controller-manager"
	scheduler         = "kube-scheduler"
	ownControllers    = "dra-controller-manager"
	kwok              = "kwok"
)

type programs struct {
	paths map[string]string
	// schedulerConfig is the scheduler's configuration file; empty if it takes none.
	schedulerConfig []byte
	// controllersManifest has the permissions of own controllers.
	controllersManifest []byte
}

func has(c clusters.Config, component string) bool { return !slices.Contains(c.Without, component) }

func find(ctx context.Context, p Programs, c clusters.Config, schedulerKubeconfig string) (programs, error) {
	found := programs{paths: map[string]string{}}
	names := []string{etcd, apiserver}
	if has(c, spec.Controllers) {
		names = append(names, controllerManager)
	}
	if has(c, spec.Scheduler) && c.Stack.Scheduler != spec.Own {
		names = append(names, scheduler)
	}
	if c.Nodes > 0 {
		names = append(names, kwok)
	}
	for _, name := range names {
		if _, given := c.Programs[name]; given {
			found.paths[name] = "" // replace sets it
			continue
		}
		path, err := p.Program(ctx, c.Version, name)
		if err != nil {
			return found, fmt.Errorf("find %s: %w", name, err)
		}
		found.paths[name] = path
	}
	if err := found.findOwn(ctx, p, c, schedulerKubeconfig); err != nil {
		return found, err
	}
	return found, found.replace(c.Programs)
}

// replace overrides programs with those of Config.Programs.
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

// findOwn finds this project's components. In a checkout the go command checks for changes, so both are built at
// once.
func (found *programs) findOwn(ctx context.Context, p Programs, c clusters.Config, schedulerKubeconfig string) error {
	group, ctx := errgroup.WithContext(ctx)
	var schedulerPath, controllersPath string
	if c.Stack.Scheduler == spec.Own {
		group.Go(func() (err error) {
			schedulerPath, found.schedulerConfig, err = p.SchedulerProgram(ctx, c.Version, schedulerKubeconfig)
			return err
		})
	}
	if c.Stack.Controllers == spec.Own {
		group.Go(func() (err error) {
			controllersPath, found.controllersManifest, err = p.ControllersProgram(ctx, c.Version)
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
