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

package diff

import (
	"fmt"
	"slices"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/schema"
)

// configuration is the part of a report explaining different results.
type configuration struct {
	Implementation schema.Implementation   `json:"implementation"`
	Suite          schema.ConformanceSuite `json:"suite"`
	Cluster        schema.Cluster          `json:"cluster"`
	Driver         schema.Driver           `json:"driver"`
	Selection      schema.Selection        `json:"selection"`
}

// configurationOf returns a report's configuration with numbered nodes: node names and addresses are
// irrelevant.
func configurationOf(r schema.ConformanceReport) configuration {
	c := configuration{r.Implementation, r.Suite, r.Cluster, r.Driver, r.Run.Selection}
	c.Cluster.Server = ""
	numbers := map[string]string{}
	c.Cluster.Nodes = slices.Clone(c.Cluster.Nodes)
	for i := range c.Cluster.Nodes {
		n := &c.Cluster.Nodes[i]
		numbers[n.Name] = fmt.Sprintf("node %d", i+1)
		n.Name = numbers[n.Name]
	}
	c.Cluster.Running = slices.Clone(c.Cluster.Running)
	for i := range c.Cluster.Running {
		running := &c.Cluster.Running[i]
		if number, ok := numbers[running.Node]; ok {
			running.Node = number
		}
	}
	if c.Cluster.Observed != nil {
		observed := map[spec.Feature]string{}
		for f := range c.Cluster.Observed {
			observed[f] = "used"
		}
		c.Cluster.Observed = observed
	}
	return c
}
