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

// restore removes faults and connects, so that pods can end. A driver that was told to misbehave
// must not keep them from that; that it cannot be restored matters only if they do not.
func (d *Driver) restore(ctx context.Context) error {
	err := d.everywhere(func(node string) error {
		return agentapi.Change(ctx, d.t.Env().Agents, node, d.Name, spec.DriverChange{Faults: &[]spec.Fault{}, Serve: ptr.To(true), Disconnect: ptr.To(false)})
	})
	if err != nil {
		d.t.Note("driver %s was not restored: %v", d.Name, err)
	}
	return nil
}

// awaitNonePrepared waits until the kubelets are done with the driver, which they are not when a
// pod is gone that was deleted by force. Drivers that are broken from the start keep no promise
// about that.
func (d *Driver) awaitNonePrepared(ctx context.Context) error {
	if d.t.Env().Mutant != "" {
		return nil
	}
	var left []string
	err := await.Until(ctx, func(ctx context.Context) (bool, error) {
		left = d.prepared(ctx)
		return len(left) == 0, nil
	})
	if err != nil {
		return fmt.Errorf("wait for the kubelets to unprepare: %w; left: %s", err, strings.Join(left, ", "))
	}
	return nil
}

// end stops the instances, unless pods that need them stay.
func (d *Driver) end(ctx context.Context, kept bool) error {
	if kept {
		return nil
	}
	return d.everywhere(func(node string) error { return agentapi.Stop(ctx, d.t.Env().Agents, node, d.Name) })
}

// timeline are the instances' calls.
func (d *Driver) timeline(ctx context.Context) (entries []spec.TimelineEntry, missing []string) {
	for _, node := range d.t.Nodes {
		status, err := agentapi.Status(ctx, d.t.Env().Agents, node, d.Name)
		if err != nil {
			missing = append(missing, fmt.Sprintf("driver calls on %s: %v", node, err))
			continue
		}
		entries = append(entries, timeline.Calls(status.Calls, node)...)
	}
	return entries, missing
}

// gather asks the instances for their state and calls.
func (d *Driver) gather(ctx context.Context, e *harness.Evidence) {
	for _, node := range d.t.Nodes {
		status, err := agentapi.Status(ctx, d.t.Env().Agents, node, d.Name)
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

// everywhere does something on all nodes at once, and on each one whatever
// happens on the others.
func (d *Driver) everywhere(do func(node string) error) error {
	errs := make([]error, len(d.t.Nodes))
	var all sync.WaitGroup
	for i, node := range d.t.Nodes {
		all.Go(func() { errs[i] = do(node) })
	}
	all.Wait()
	return errors.Join(errs...)
}

// prepared says which claims are prepared, and where. Instances that cannot be
// asked, as those that never started, say nothing.
func (d *Driver) prepared(ctx context.Context) []string {
	var prepared []string
	for _, node := range d.t.Nodes {
		status, err := agentapi.Status(ctx, d.t.Env().Agents, node, d.Name)
		if err != nil {
			continue
		}
		for _, claim := range status.Prepared {
			prepared = append(prepared, fmt.Sprintf("claim %s on %s", claim, node))
		}
	}
	return prepared
}
