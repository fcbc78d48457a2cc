package harness

import (
	"context"

	"github.com/onsi/ginkgo/v2"

	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Status is what the instance on the case's first node says of itself.
func (d *Driver) Status() spec.DriverStatus {
	ginkgo.GinkgoHelper()
	status, err := agentapi.Status(d.t.ctx, d.t.env.Agents, d.t.Nodes[0], d.Name)
	d.t.NoError(err, "ask the driver on %s for its status", d.t.Nodes[0])
	return status
}

// AwaitProblem waits until the instance on the case's first node has a problem in the
// background, and returns it.
func (d *Driver) AwaitProblem() string {
	ginkgo.GinkgoHelper()
	problem := ""
	d.t.Poll("the driver to notice a problem", func(ctx context.Context) (bool, string, error) {
		status, err := agentapi.Status(ctx, d.t.env.Agents, d.t.Nodes[0], d.Name)
		problem = status.Problem
		return err == nil && problem != "", problem, err
	})
	return problem
}
