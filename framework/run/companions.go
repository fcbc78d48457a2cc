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

package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/plan"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
)

// found are the clients of companions that were found, as JSON.
type found map[spec.Companion]json.RawMessage

// clients decodes them.
func (f found) clients(companions []testbed.Companion) (map[spec.Companion]any, error) {
	clients := map[spec.Companion]any{}
	for _, c := range companions {
		data, there := f[c.Name]
		if !there {
			continue
		}
		client, err := c.Decode(data)
		if err != nil {
			return nil, fmt.Errorf("decode the client of companion %s: %w", c.Name, err)
		}
		clients[c.Name] = client
	}
	return clients, nil
}

// find finds or builds a companion if a case needs it. If there is none, the plan is without
// these cases. A program that does not compile is an error.
func (p *prepared) find(ctx context.Context, c testbed.Companion, o Options) error {
	if c.Lacks != nil {
		p.plan = plan.WithoutCompanion(p.plan, c.Name, c.Skip, func(n spec.Needs) string { return c.Lacks(n, p.Target) })
	}
	switch {
	case !p.plan.RunsBeside(c.Name):
		return nil
	case o.InCluster || p.Kubeconfig == "":
		p.without(c, c.NoKubeconfig)
		return nil
	}
	client, err := c.Find(ctx, p.Testbed, o.Overlay)
	if errors.Is(err, clusters.ErrEnvironment) {
		p.without(c, fmt.Sprintf("%s: %v", c.NoProgram, err))
		return nil
	}
	if err != nil {
		return err
	}
	data, err := json.Marshal(client)
	if err != nil {
		return fmt.Errorf("encode the client of companion %s: %w", c.Name, err)
	}
	p.found[c.Name] = data
	return nil
}

// without leaves the cases of a companion out of the plan.
func (p *prepared) without(c testbed.Companion, reason string) {
	p.plan = plan.WithoutCompanion(p.plan, c.Name, c.Skip, func(spec.Needs) string { return reason })
}

// installCompanions installs what companions need in the cluster. If that fails, the plan is
// without their cases.
func (p *prepared) installCompanions(ctx context.Context, companions []testbed.Companion, keep bool) error {
	clients, err := p.found.clients(companions)
	if err != nil {
		return err
	}
	for _, c := range companions {
		if c.Install == nil || !p.plan.RunsBeside(c.Name) {
			continue
		}
		remove, reason := c.Install(ctx, p.Testbed, clients[c.Name])
		if !keep {
			p.Later(remove)
		}
		if reason != "" {
			p.without(c, reason)
		}
	}
	return nil
}
