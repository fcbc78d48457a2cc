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

package images

import (
	"context"
	"fmt"

	"github.com/dra-conformance/dratest/clusters/images/cache"
)

// SchedulerProgram builds dra-scheduler and returns its path with a configuration naming the kubeconfig. Errors are
// those of Scheduler.
func (l Local) SchedulerProgram(ctx context.Context, version, kubeconfig string) (path string, config []byte, err error) {
	path, files, err := l.ownProgram(ctx, version, schedulerProgram, "config.yaml")
	if err != nil {
		return "", nil, err
	}
	if config, err = forCluster(files[0], kubeconfig); err != nil {
		return "", nil, fmt.Errorf("read the configuration of dra-scheduler: %w", err)
	}
	return path, config, nil
}

// ControllersProgram builds dra-controller-manager and returns its path with the manifest for its permissions. Errors
// are those of Scheduler.
func (l Local) ControllersProgram(ctx context.Context, version string) (path string, manifest []byte, err error) {
	path, files, err := l.ownProgram(ctx, version, controllersProgram, "manifest.yaml")
	if err != nil {
		return "", nil, err
	}
	return path, files[0], nil
}

// OwnProgram builds one of this project's programs and returns its path, with the contents of files next to its
// source. Errors are those of Scheduler.
func (l Local) OwnProgram(ctx context.Context, name string, files ...string) (path string, contents [][]byte, err error) {
	return l.ownProgram(ctx, "", name, files...)
}

func (l Local) ownProgram(ctx context.Context, version, name string, files ...string) (path string, contents [][]byte, err error) {
	p, err := l.findOwn(name, version)
	if err != nil {
		return "", nil, err
	}
	for _, name := range files {
		content, err := p.source.File(name)
		if err != nil {
			return "", nil, err
		}
		contents = append(contents, content)
	}
	path, _, err = p.build(ctx)
	return path, contents, err
}

// SimProgram builds dra-sim, the program in node images, and returns its path. The error wraps
// clusters.ErrEnvironment if there is neither a checkout nor the program.
func (l Local) SimProgram(ctx context.Context) (path string, err error) {
	c, err := cache.Open(l.Cache)
	if err != nil {
		return "", err
	}
	path, _, err = buildSim(ctx, c, l.Progress, l.Where)
	return path, err
}
