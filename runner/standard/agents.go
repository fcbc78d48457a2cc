package standard

import (
	"context"
	"fmt"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/dra-conformance/dratest/drivers/sim/client"
	"github.com/dra-conformance/dratest/drivers/sim/deploy"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/runner"
)

// Agents is dra-sim's side of a run.
type Agents struct{}

var _ runner.Agents = Agents{}

// Install implements runner.Agents.
func (Agents) Install(ctx context.Context, config *rest.Config, nodes []string) error {
	c, err := kubernetes.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("make a client: %w", err)
	}
	if err := deploy.Install(ctx, c, deploy.Config{}); err != nil {
		return err
	}
	return deploy.WaitReady(ctx, c, nodes)
}

// Uninstall implements runner.Agents.
func (Agents) Uninstall(ctx context.Context, config *rest.Config) error {
	c, err := kubernetes.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("make a client: %w", err)
	}
	return deploy.Uninstall(ctx, c)
}

// Connect implements runner.Agents.
func (Agents) Connect(_ context.Context, config *rest.Config) (harness.Drivers, harness.NodeEvidence, error) {
	c, err := client.New(config)
	return c, c, err
}
