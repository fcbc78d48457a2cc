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

package outage

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/sync/errgroup"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/harness/await"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Start starts a driver of each kind on each node, or finds those started by an earlier process with the same name,
// and waits until their slices are published. Stop stops them.
func Start(ctx context.Context, client kubernetes.Interface, agents agentapi.AgentClient, name string, nodes []string) ([]Instance, error) {
	var all []Instance
	group, starting := errgroup.WithContext(ctx)
	for _, publishing := range spec.Publishings() {
		config := spec.DriverConfig{
			Name: "at-once." + name, Publishing: publishing,
			Profile: spec.Profile{Name: "outage", Pools: []spec.Pool{{Devices: []resourceapi.Device{{Name: "device-0"}}}}},
		}
		if publishing != spec.PublishAtOnce {
			config.Name = strings.ToLower(string(publishing)) + "." + name
		}
		for _, node := range nodes {
			all = append(all, Instance{Driver: config.Name, Node: node, Publishing: publishing, Pools: len(config.Profile.Pools)})
			group.Go(func() error { return simdriver.StartInstance(starting, agents, node, config) })
		}
		group.Go(func() error { return await.Pools(starting, client, config.Name, len(nodes)) })
	}
	if err := group.Wait(); err != nil {
		return nil, fmt.Errorf("start drivers to measure outages: %w", err)
	}
	return all, nil
}

// Stop ends instances.
func Stop(ctx context.Context, agents agentapi.AgentClient, instances []Instance) error {
	var errs []error
	for _, i := range instances {
		errs = append(errs, agentapi.Stop(ctx, agents, i.Node, i.Driver))
	}
	return errors.Join(errs...)
}
