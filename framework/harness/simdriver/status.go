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

package simdriver

import (
	"context"

	"github.com/onsi/ginkgo/v2"

	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Status is what the instance on the case's first node says of itself.
func (d *Driver) Status() spec.DriverStatus {
	ginkgo.GinkgoHelper()
	status, err := agentapi.Status(d.t.Context(), d.t.Env().Agents, d.t.Nodes[0], d.Name)
	d.t.NoError(err, "ask the driver on %s for its status", d.t.Nodes[0])
	return status
}

// AwaitProblem waits until the instance on the case's first node has a problem in the
// background, and returns it.
func (d *Driver) AwaitProblem() string {
	ginkgo.GinkgoHelper()
	problem := ""
	d.t.Poll("the driver to notice a problem", func(ctx context.Context) (bool, string, error) {
		status, err := agentapi.Status(ctx, d.t.Env().Agents, d.t.Nodes[0], d.Name)
		problem = status.Problem
		return err == nil && problem != "", problem, err
	})
	return problem
}
