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

package soak

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/audit"
)

// remembered is the number of calls recorded by a driver (spec.DriverStatus).
const remembered = 10_000

// judgeNodes checks the drivers' and kubelets' state of claims when all pods are gone.
func (s *soaking) judgeNodes(ctx context.Context) error {
	found, err := lasting(ctx, s.bed.options.Patience, func(ctx context.Context) ([]audit.Violation, error) {
		nodes, err := s.bed.readNodes(ctx)
		if err != nil {
			return nil, err
		}
		return audit.Drivers(nodes, s.uses.list()), nil
	})
	if err != nil {
		return err
	}
	s.findings.add(found)
	return nil
}

// lasting returns the violations left after some patience: none as soon as there are none. A poll cut short by the
// end of the patience is ignored and the previous one counts, unless it was in the first half of the patience.
func lasting(ctx context.Context, patience time.Duration, look func(context.Context) ([]audit.Violation, error)) ([]audit.Violation, error) {
	var found []audit.Violation
	var last error
	half := time.Now().Add(patience / 2)
	late := false
	_ = wait.PollUntilContextTimeout(ctx, time.Second, patience, true, func(ctx context.Context) (bool, error) {
		began := time.Now()
		violations, err := look(ctx)
		if err != nil && ctx.Err() != nil && late {
			return false, nil
		}
		found, last, late = violations, err, began.After(half)
		return err == nil && len(found) == 0, nil
	})
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if last != nil {
		return nil, fmt.Errorf("read the state of drivers and kubelets: %w", last)
	}
	return found, nil
}

func (b *Bed) readNodes(ctx context.Context) ([]audit.Node, error) {
	var nodes []audit.Node
	for _, name := range b.Target.Workers() {
		status, err := agentapi.Status(ctx, b.agents, name, b.Names.Driver)
		if err != nil {
			return nil, err
		}
		if len(status.Calls) >= remembered {
			return nil, fmt.Errorf("the driver on node %s may have forgotten its first calls: it remembers %d", name, remembered)
		}
		claims, err := agentapi.ReadPrepared(ctx, b.agents, name)
		if err != nil {
			return nil, err
		}
		node := audit.Node{Name: name, Calls: status.Calls, Prepared: status.Prepared}
		for _, c := range claims {
			if c.Namespace == b.Namespace {
				node.Checkpoint = append(node.Checkpoint, c.ClaimUID)
			}
		}
		nodes = append(nodes, node)
	}
	return nodes, nil
}
