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

package testbed

import (
	"context"

	"k8s.io/client-go/rest"

	"github.com/dra-conformance/dratest/framework/agentapi"
)

// Agents are the programs on a cluster's nodes hosting the drivers of cases.
type Agents interface {
	// Reserve keeps other runs from the cluster until release is called, or fails with ErrReserved.
	Reserve(ctx context.Context, config *rest.Config) (release func(context.Context) error, err error)
	// Install installs the agents on the nodes and returns once they are ready; existing ones are kept if they match.
	Install(ctx context.Context, config *rest.Config, nodes []string) error
	// Uninstall removes the agents and everything belonging to them. Errors: deploy.ErrAbandoned.
	Uninstall(ctx context.Context, config *rest.Config) error
	// Connect returns the agents' client for the cases of one process.
	Connect(ctx context.Context, config *rest.Config) (agentapi.AgentClient, error)
}

// Agents leads to the agents, once they are installed.
func (b *Testbed) Agents(ctx context.Context) (agentapi.AgentClient, error) {
	return b.agents.Connect(ctx, b.REST)
}
