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

package certify

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dra-conformance/dratest/drivers/declarations"
	"github.com/dra-conformance/dratest/framework/pools"
	"github.com/dra-conformance/dratest/framework/testbed"
)

// tolerate adds the nodes with tolerated taints to the target's workers, and returns why other nodes are not used.
func tolerate(ctx context.Context, b *testbed.Testbed, d declarations.Declaration) (leftOut map[string]string, err error) {
	if leftOut, err = b.Tolerate(ctx, d.Nodes.Selector, d.Workload.Template); err != nil {
		return nil, fmt.Errorf("workload.template: %w", err)
	}
	return leftOut, nil
}

// nodesLeftOut has a line per reason.
func (w world) nodesLeftOut() (lines []string) {
	names := map[string][]string{}
	for _, node := range slices.Sorted(maps.Keys(w.leftOut)) {
		names[w.leftOut[node]] = append(names[w.leftOut[node]], node)
	}
	for _, why := range slices.Sorted(maps.Keys(names)) {
		lines = append(lines, fmt.Sprintf("node %s: %s", strings.Join(names[why], ", "), why))
	}
	return lines
}

// hidden has a line for each unused node with devices of the driver.
func (w world) hidden(d declarations.Declaration) (lines []string) {
	for _, device := range pools.Devices(d.Driver, w.slices, w.claims) {
		if why := w.leftOut[device.Node]; why != "" {
			lines = append(lines, fmt.Sprintf("node %s: %s", device.Node, why))
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}
