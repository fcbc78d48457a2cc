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
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/kubelet"
	"github.com/dra-conformance/dratest/clusters/staticpod"
	"github.com/dra-conformance/dratest/framework/spec"
)

// stack returns the implementations of a running cluster's components. They are read from the nodes: a record would
// be wrong after a killed switch.
func (s parts) stack(ctx context.Context, cluster string) (clusters.Stack, error) {
	node, err := s.controlPlane(cluster)
	if err != nil {
		return clusters.Stack{}, err
	}
	members, err := s.members(cluster, nil)
	if err != nil {
		return clusters.Stack{}, err
	}
	var out clusters.Stack
	programs := make([]string, len(members))
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		out.Scheduler, err = schedulerOf(ctx, node)
		return err
	})
	group.Go(func() (err error) {
		out.Controllers, err = controllersOf(ctx, node)
		return err
	})
	for i, member := range members {
		group.Go(func() (err error) {
			programs[i], err = kubelet.InPlace(ctx, member)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return clusters.Stack{}, fmt.Errorf("find out whose components cluster %q has: %w", cluster, err)
	}
	out.Kubelet = spec.Stock
	for i, program := range programs {
		if program != kubelet.Stock {
			out.Kubelet = spec.Own
			out.KubeletNodes = append(out.KubeletNodes, members[i].String())
		}
	}
	if len(out.KubeletNodes) == len(members) {
		out.KubeletNodes = nil
	}
	return out, nil
}

func schedulerOf(ctx context.Context, node member) (spec.Provenance, error) {
	changed, err := changed(ctx, node, staticpod.Scheduler())
	if changed {
		return spec.Own, err
	}
	return spec.Stock, err
}

// controllersOf is none if the stock controllers are off and there are no own ones.
func controllersOf(ctx context.Context, node member) (spec.Provenance, error) {
	changed, err := changed(ctx, node, staticpod.ControllerManager())
	if err != nil || !changed {
		return spec.Stock, err
	}
	out, err := node.Run(ctx, nil, "crictl", "ps", "--quiet", "--name", "^"+controllersName+"$")
	if strings.TrimSpace(out) == "" {
		return spec.None, err
	}
	return spec.Own, err
}

func changed(ctx context.Context, node member, c staticpod.Component) (bool, error) {
	manifest, err := staticpod.Read(ctx, node, c)
	if err != nil {
		return false, err
	}
	return staticpod.Changed(manifest)
}
