package testbed

import (
	"context"

	"k8s.io/client-go/rest"

	"github.com/dra-conformance/dratest/framework/agentapi"
)

// Agents are the programs on a cluster's nodes that host the drivers of cases.
type Agents interface {
	// Reserve keeps other runs from the cluster until release is called, or fails
	// with ErrReserved.
	Reserve(ctx context.Context, config *rest.Config) (release func(context.Context) error, err error)
	// Install puts the agents on the nodes and returns once they are ready;
	// agents that are there already are kept if they fit.
	Install(ctx context.Context, config *rest.Config, nodes []string) error
	// Uninstall removes the agents and everything that belongs to them.
	// Errors: deploy.ErrAbandoned.
	Uninstall(ctx context.Context, config *rest.Config) error
	// Connect returns what the cases of one process use to talk to the agents.
	Connect(ctx context.Context, config *rest.Config) (agentapi.AgentClient, error)
}

// Agents leads to the agents, once they are installed.
func (b *Testbed) Agents(ctx context.Context) (agentapi.AgentClient, error) {
	return b.agents.Connect(ctx, b.REST)
}
