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

package change

import (
	"context"
	"fmt"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/staticpod"
	"github.com/dra-conformance/dratest/upgrade/path"
)

// components are the static pods of a control plane.
//
//nolint:gochecknoglobals // a table
var components = map[path.Component]staticpod.Component{
	path.APIServer:         staticpod.APIServer(),
	path.ControllerManager: staticpod.ControllerManager(),
	path.Scheduler:         staticpod.Scheduler(),
}

func (c Cluster) controlPlane(ctx context.Context, step path.Step) (Done, error) {
	m, err := c.machine(step.Place.Node)
	if err != nil {
		return Done{}, err
	}
	component, ok := components[step.Place.Component]
	if !ok {
		return Done{}, fmt.Errorf("change %s: it is no static pod", step.Place)
	}
	replacement := staticpod.Replacement{Component: component, Version: step.To.Version.String(), Timeout: c.timeout()}
	if replacement.Manifest, err = c.manifest(ctx, m, component, step); err != nil {
		return Done{}, err
	}
	if step.Gate != "" {
		replacement.Gates = map[string]bool{string(step.Gate): step.On}
	}
	done, err := staticpod.Replace(ctx, m, c.Client, replacement)
	if err != nil {
		return Done{}, fmt.Errorf("%s: %w", step, err)
	}
	if step.Place.Component == path.APIServer {
		err = c.awaitService(ctx, step)
	}
	return Done{Downtime: done.Downtime()}, err
}

// manifest is a component's after a step.
func (c Cluster) manifest(ctx context.Context, m clusters.Machine, component staticpod.Component, step path.Step) ([]byte, error) {
	manifest, err := staticpod.Read(ctx, m, component)
	if err != nil {
		return nil, err
	}
	image, err := c.Software.Image(ctx, step.Place.Component, step.To.Version)
	if err != nil {
		return nil, err
	}
	if manifest, err = staticpod.WithImage(manifest, image.Ref); err != nil || step.Gate == "" {
		return manifest, err
	}
	return staticpod.WithGate(manifest, string(step.Gate), step.On)
}
