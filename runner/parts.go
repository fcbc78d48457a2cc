package runner

import (
	"context"

	"k8s.io/client-go/rest"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Parts are what a run is put together from.
type Parts struct {
	Cases  []harness.Case
	Agents Agents
	// Clusters makes the cluster of a run that is given no kubeconfig.
	Clusters clusters.Provider
	// Register turns cases into Ginkgo specs; nil means harness.Register.
	Register func(cases []harness.Case, env func() *harness.Env)
}

// Agents are the programs on a cluster's nodes that host the drivers of cases.
type Agents interface {
	// Reserve keeps other runs from the cluster until release is called, or fails
	// with ErrRunning.
	Reserve(ctx context.Context, config *rest.Config) (release func(context.Context) error, err error)
	// Install puts the agents on the nodes and returns once they are ready;
	// agents that are there already are kept if they fit.
	Install(ctx context.Context, config *rest.Config, nodes []string) error
	// Uninstall removes the agents and everything that belongs to them.
	Uninstall(ctx context.Context, config *rest.Config) error
	// Connect returns what the cases of one process use to talk to the agents.
	Connect(ctx context.Context, config *rest.Config) (harness.Drivers, harness.Nodes, error)
}

func (p Parts) register(cases []harness.Case, env func() *harness.Env) {
	if p.Register != nil {
		p.Register(cases, env)
		return
	}
	harness.Register(cases, env)
}

// Metas returns the data of the cases, in their order.
func Metas(cases []harness.Case) []spec.Meta {
	metas := make([]spec.Meta, 0, len(cases))
	for _, c := range cases {
		metas = append(metas, c.Meta)
	}
	return metas
}
