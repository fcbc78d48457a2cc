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

package change

import (
	"context"
	"fmt"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/upgrade/path"
)

func (c Cluster) own(ctx context.Context, step path.Step) (Done, error) {
	whose := spec.Stock
	if step.To.Own {
		whose = spec.Own
	}
	var to clusters.Stack
	switch step.Place.Component {
	case path.Scheduler:
		to.Scheduler = whose
	case path.ControllerManager:
		to.Controllers = whose
	case path.Kubelet:
		to.Kubelet, to.KubeletNodes = whose, []string{step.Place.Node}
	default:
		return Done{}, fmt.Errorf("%s: there is no other one", step)
	}
	switched, err := c.Switcher.Switch(ctx, c.Name, to)
	if err != nil {
		return Done{}, fmt.Errorf("%s: %w", step, err)
	}
	var done Done
	for _, s := range switched {
		done.Downtime = max(done.Downtime, s.Downtime)
	}
	return done, nil
}
