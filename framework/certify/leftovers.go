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

package certify

import (
	"context"
	"errors"
	"fmt"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/harness/undertest"
	"github.com/dra-conformance/dratest/framework/run"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
)

// wipeTime is after kubelets have deleted the slices of a missing driver: 30 s in Kubernetes v1.37.1, and some more.
const wipeTime = 45 * time.Second

// findLeftovers returns an uninstalled driver's leftovers in the cluster and on its nodes. They do not affect the verdict; a
// case checks them.
func (c *running) findLeftovers(ctx context.Context, parts run.Parts, o Options) (all []string, err error) {
	b, err := testbed.Open(ctx, parts.Parts, testbed.Config{Kubeconfig: o.Run.Kubeconfig, Context: o.Run.Context, InCluster: o.Run.InCluster, Out: o.Run.Out})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, b.Close(ctx, nil)) }()
	if err := b.Install(ctx, c.observation.nodes()); err != nil {
		return nil, err
	}
	published, err := awaitWiped(ctx, b, c.declaration.Driver)
	if err != nil {
		return nil, err
	}
	for _, s := range published {
		all = append(all, "ResourceSlice "+s.Name)
	}
	agents, err := b.Agents(ctx)
	if err != nil {
		return nil, fmt.Errorf("connect to the agents: %w", err)
	}
	s := spec.DriverUnderTest{Driver: c.declaration.Driver, CheckpointPaths: c.declaration.Deploy.CheckpointPaths}
	for _, node := range c.observation.nodes() {
		files, err := agentapi.ReadEvidence(ctx, agents, node, time.Now())
		if unseen := undertest.Unseen(s, files); unseen != nil {
			return nil, fmt.Errorf("look at node %s after hook uninstall: %w", node, errors.Join(unseen, err))
		}
		must, may := undertest.Left(s, files)
		for _, name := range append(must, may...) {
			all = append(all, "on node "+node+": "+name)
		}
	}
	return all, nil
}

// awaitWiped waits until a driver has no slices, and returns those that stay.
func awaitWiped(ctx context.Context, b *testbed.Testbed, driver string) ([]resourceapi.ResourceSlice, error) {
	var left []resourceapi.ResourceSlice
	err := wait.PollUntilContextTimeout(ctx, time.Second, wipeTime, true, func(ctx context.Context) (bool, error) {
		list, err := b.Client.ResourceV1().ResourceSlices().List(ctx, metav1.ListOptions{FieldSelector: resourceapi.ResourceSliceSelectorDriver + "=" + driver})
		if err != nil {
			return false, fmt.Errorf("list ResourceSlices: %w", err)
		}
		left = list.Items
		return len(left) == 0, nil
	})
	if err != nil && !wait.Interrupted(err) {
		return nil, err
	}
	return left, ctx.Err()
}
