package images

import (
	"context"
	"fmt"

	"github.com/dra-conformance/dratest/clusters/images/cache"
	"github.com/dra-conformance/dratest/clusters/images/modules"
	"github.com/dra-conformance/dratest/clusters/versions"
)

// Etcd builds the etcd server that node images have and returns its path. Errors are
// those of Program.
func Etcd(ctx context.Context, o Options) (path string, err error) {
	_, path, err = buildBinary(ctx, o, func(versions.Version) modules.Binary { return modules.Etcd() })
	return path, err
}

// Kwok builds the program that simulates nodes and returns its path. Errors are those
// of Program.
func Kwok(ctx context.Context, o Options) (path string, err error) {
	_, path, err = buildBinary(ctx, o, func(versions.Version) modules.Binary { return modules.Kwok() })
	return path, err
}

// SchedulerProgram builds dra-scheduler and returns its path with a configuration
// that names the kubeconfig. Errors are those of Scheduler.
func SchedulerProgram(ctx context.Context, o OwnOptions, kubeconfig string) (path string, config []byte, err error) {
	p, err := findOwn(schedulerProgram, o)
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
func ControllersProgram(ctx context.Context, o OwnOptions) (path string, manifest []byte, err error) {
	p, err := findOwn(controllersProgram, o)
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
func ComposableProgram(ctx context.Context, o OwnOptions) (path string, err error) {
	return buildOwn(ctx, composableProgram, o)
}

// SimProgram builds dra-sim, which is in the images of nodes, and returns its path. The error
// wraps clusters.ErrEnvironment if there is neither a checkout nor the program.
func SimProgram(ctx context.Context, o OwnOptions) (path string, err error) {
	c, err := cache.Open(o.Cache)
	if err != nil {
		return "", err
	}
	path, _, err = buildSim(ctx, c, o.Progress, o.Where)
	return path, err
}

// WhatIfProgram builds dra-whatif and returns its path. Errors are those of Scheduler.
func WhatIfProgram(ctx context.Context, o OwnOptions) (path string, err error) {
	return buildOwn(ctx, whatIfProgram, o)
}

// ClassicPrograms builds dra-scheduler and dra-classic-driver and returns their paths, with
// the scheduler's configuration for classic DRA. Errors are those of Scheduler.
func ClassicPrograms(ctx context.Context, o OwnOptions) (scheduler, driver string, config []byte, err error) {
	p, err := findOwn(schedulerProgram, o)
	if err != nil {
		return "", "", nil, err
	}
	if config, err = p.source.File("config-classic.yaml"); err != nil {
		return "", "", nil, err
	}
	if scheduler, _, err = p.build(ctx); err != nil {
		return "", "", nil, err
	}
	driver, err = buildOwn(ctx, classicProgram, o)
	return scheduler, driver, config, err
}

func buildOwn(ctx context.Context, name string, o OwnOptions) (path string, err error) {
	p, err := findOwn(name, o)
	if err != nil {
		return "", err
	}
	path, _, err = p.build(ctx)
	return path, err
}
