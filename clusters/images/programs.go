package images

import (
	"context"
	"fmt"

	"github.com/dra-conformance/dratest/clusters/images/cache"
)

// SchedulerProgram builds dra-scheduler and returns its path with a configuration
// that names the kubeconfig. Errors are those of Scheduler.
func (l Local) SchedulerProgram(ctx context.Context, version, kubeconfig string) (path string, config []byte, err error) {
	p, err := l.findOwn(schedulerProgram, version)
	if err != nil {
		return "", nil, err
	}
	if path, _, err = p.build(ctx); err != nil {
		return "", nil, err
	}
	if config, err = p.source.File("config.yaml"); err != nil {
		return "", nil, err
	}
	if config, err = forCluster(config, kubeconfig); err != nil {
		return "", nil, fmt.Errorf("read the configuration of dra-scheduler: %w", err)
	}
	return path, config, nil
}

// ControllersProgram builds dra-controller-manager and returns its path with the
// manifest that has its permissions. Errors are those of Scheduler.
func (l Local) ControllersProgram(ctx context.Context, version string) (path string, manifest []byte, err error) {
	p, err := l.findOwn(controllersProgram, version)
	if err != nil {
		return "", nil, err
	}
	if path, _, err = p.build(ctx); err != nil {
		return "", nil, err
	}
	manifest, err = p.source.File("manifest.yaml")
	return path, manifest, err
}

// Programs that any cluster of the version may have beside its own components.
const (
	composableProgram = "dra-composable-controller" // attaches devices of a fabric
	whatIfProgram     = "dra-whatif"                // says which nodes pods need
	classicProgram    = "dra-classic-driver"        // allocates claims itself
)

// ComposableProgram builds dra-composable-controller and returns its path. Errors are
// those of Scheduler.
func (l Local) ComposableProgram(ctx context.Context) (path string, err error) {
	return l.buildOwn(ctx, composableProgram)
}

// SimProgram builds dra-sim, which is in the images of nodes, and returns its path. The error
// wraps clusters.ErrEnvironment if there is neither a checkout nor the program.
func (l Local) SimProgram(ctx context.Context) (path string, err error) {
	c, err := cache.Open(l.Cache)
	if err != nil {
		return "", err
	}
	path, _, err = buildSim(ctx, c, l.Progress, l.Where)
	return path, err
}

// WhatIfProgram builds dra-whatif and returns its path. Errors are those of Scheduler.
func (l Local) WhatIfProgram(ctx context.Context) (path string, err error) {
	return l.buildOwn(ctx, whatIfProgram)
}

// ClassicPrograms builds dra-scheduler and dra-classic-driver and returns their paths, with
// the scheduler's configuration for classic DRA. Errors are those of Scheduler.
func (l Local) ClassicPrograms(ctx context.Context) (scheduler, driver string, config []byte, err error) {
	p, err := l.findOwn(schedulerProgram, "")
	if err != nil {
		return "", "", nil, err
	}
	if config, err = p.source.File("config-classic.yaml"); err != nil {
		return "", "", nil, err
	}
	if scheduler, _, err = p.build(ctx); err != nil {
		return "", "", nil, err
	}
	driver, err = l.buildOwn(ctx, classicProgram)
	return scheduler, driver, config, err
}

func (l Local) buildOwn(ctx context.Context, name string) (path string, err error) {
	p, err := l.findOwn(name, "")
	if err != nil {
		return "", err
	}
	path, _, err = p.build(ctx)
	return path, err
}
