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
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/await"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/timeline"
)

// restore ends faults and connects the driver, so that pods can end. An error matters only if pods do
// not end.
func (d *Driver) restore(ctx context.Context) error {
	err := d.everywhere(func(node string) error {
		return agentapi.Change(ctx, d.t.Env().Agents, node, d.Name, spec.DriverChange{Faults: &[]spec.Fault{}, Serve: ptr.To(true), Disconnect: ptr.To(false)})
	})
	if err != nil {
		d.t.Note("driver %s was not restored: %v", d.Name, err)
	}
	return nil
}

// awaitNonePrepared waits until the kubelets have unprepared all claims: force-deleted pods
// are gone earlier. A mutant of the driver may never get there. Unreachable instances may never have started.
func (d *Driver) awaitNonePrepared(ctx context.Context) error {
	if d.mutant != "" {
		return nil
	}
	var left []string
	err := await.Until(ctx, func(ctx context.Context) (bool, error) {
		left, _ = d.prepared(ctx)
		return len(left) == 0, nil
	})
	if err != nil {
		return fmt.Errorf("wait for the kubelets to unprepare: %w; left: %s", err, strings.Join(left, ", "))
	}
	return nil
}

// end stops all instances, unless pods still need them.
func (d *Driver) end(ctx context.Context, kept bool) error {
	if kept {
		return nil
	}
	return d.everywhere(func(node string) error { return agentapi.Stop(ctx, d.t.Env().Agents, node, d.Name) })
}

// timeline returns the calls of all instances.
func (d *Driver) timeline(ctx context.Context) (entries []spec.TimelineEntry, missing []string) {
	for _, node := range d.t.Nodes {
		status, err := d.status(ctx, node)
		if err != nil {
			missing = append(missing, fmt.Sprintf("driver calls on %s: %v", node, err))
			continue
		}
		entries = append(entries, timeline.Calls(status.Calls, node)...)
	}
	return entries, missing
}

// gather writes the status and calls of all instances.
func (d *Driver) gather(ctx context.Context, e *harness.Evidence) {
	for _, node := range d.t.Nodes {
		status, err := d.status(ctx, node)
		var content []byte
		if err == nil {
			content, err = json.MarshalIndent(status, "", "  ")
		}
		e.Problem("driver "+d.Name+" on "+node, err)
		if err == nil {
			name := node
			if d.Name != d.t.DriverName() {
				name += "." + d.Name
			}
			e.File(filepath.Join("driver", name+".json"), content)
		}
	}
}

// everywhere does something on all nodes at once. A failure on one node does not stop the others.
func (d *Driver) everywhere(do func(node string) error) error {
	errs := make([]error, len(d.t.Nodes))
	var all sync.WaitGroup
	for i, node := range d.t.Nodes {
		all.Go(func() { errs[i] = do(node) })
	}
	all.Wait()
	return errors.Join(errs...)
}

// prepared describes the prepared claims of all reachable instances.
func (d *Driver) prepared(ctx context.Context) (claims []string, err error) {
	for _, node := range d.t.Nodes {
		status, failed := d.status(ctx, node)
		err = errors.Join(err, failed)
		for _, claim := range status.Prepared {
			claims = append(claims, fmt.Sprintf("claim %s on %s", claim, node))
		}
	}
	return claims, err
}
