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

// clients are the clients of companions, as JSON.
type companionClients map[spec.Companion]json.RawMessage

func (f companionClients) clients(companions []testbed.Companion) (map[spec.Companion]any, error) {
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

// find finds or builds a companion if a case needs it, or drops those cases from the plan. A program that does not
// compile is an error.
func (r *running) find(ctx context.Context, c testbed.Companion) error {
	if c.Lacks != nil {
		r.plan = plan.WithoutCompanion(r.plan, c.Name, c.Skip, func(n spec.Needs) string { return c.Lacks(n, r.testbed.Target) })
	}
	switch {
	case !r.plan.NeedsCompanion(c.Name):
		return nil
	case r.options.InCluster || r.testbed.Kubeconfig == "":
		r.without(c, c.NoKubeconfig)
		return nil
	}
	client, err := c.Find(ctx, r.testbed, r.options.Overlay)
	if errors.Is(err, clusters.ErrEnvironment) {
		r.without(c, fmt.Sprintf("%s: %v", c.NoProgram, err))
		return nil
	}
	if err != nil {
		return err
	}
	data, err := json.Marshal(client)
	if err != nil {
		return fmt.Errorf("encode the client of companion %s: %w", c.Name, err)
	}
	r.clients[c.Name] = data
	return nil
}

// without drops the cases of a companion from the plan.
func (r *running) without(c testbed.Companion, reason string) {
	r.plan = plan.WithoutCompanion(r.plan, c.Name, c.Skip, func(spec.Needs) string { return reason })
}

// installCompanions installs the companions' objects in the cluster. On failure, it drops their cases from the plan.
func (r *running) installCompanions(ctx context.Context) error {
	clients, err := r.clients.clients(r.parts.Companions)
	if err != nil {
		return err
	}
	for _, c := range r.parts.Companions {
		if c.Install == nil || !r.plan.NeedsCompanion(c.Name) {
			continue
		}
		remove, reason := c.Install(ctx, r.testbed, clients[c.Name])
		if !r.options.Keep {
			r.testbed.Later(remove)
		}
		if reason != "" {
			r.without(c, reason)
		}
	}
	return nil
}
