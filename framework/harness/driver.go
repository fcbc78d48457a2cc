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

package harness

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/onsi/ginkgo/v2"
	"golang.org/x/sync/errgroup"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/harness/await"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/timeline"
)

// Driver is the case's own test driver: one instance on each of the case's nodes.
type Driver struct {
	// Name is the DRA driver name, unique for the case.
	Name string

	t       *T
	profile spec.Profile
	// configure changes what the instances start with; nil changes nothing.
	configure func(*spec.DriverConfig)
}

// start starts the instances and waits until the kubelets have registered them
// and their pools are published.
func (d *Driver) start() error {
	t := d.t
	group, ctx := errgroup.WithContext(t.ctx)
	for _, node := range t.Nodes {
		group.Go(func() error {
			if err := d.startOn(ctx, node); err != nil {
				return err
			}
			return d.awaitRegistered(ctx, node)
		})
	}
	group.Go(func() error { return AwaitPools(ctx, t.Client, d.Name, d.pools()) })
	return group.Wait()
}

// startOn starts one instance, as it is at the beginning of a case.
func (d *Driver) startOn(ctx context.Context, node string) error {
	t := d.t
	config := spec.DriverConfig{Name: d.Name, Profile: d.profile, GRPC: t.meta.Needs.GRPC, Mutant: t.env.Mutant}
	if d.configure != nil {
		d.configure(&config)
	}
	if err := agentapi.Start(ctx, t.env.Agents, node, config); err != nil {
		return fmt.Errorf("start driver on %s: %w", node, err)
	}
	return nil
}

// pools is how many pools the instances publish together.
func (d *Driver) pools() int { return len(d.t.Nodes) * len(d.profile.Pools) }

// GRPC is the version of the plugin API that a kubelet must use: the newest of
// those that the driver offers.
func (d *Driver) GRPC() spec.GRPCVersion {
	if offered := d.t.meta.Needs.GRPC; len(offered) > 0 && !slices.Contains(offered, spec.GRPCv1) {
		return spec.GRPCv1beta1
	}
	return spec.GRPCv1
}

// Disconnect closes and removes the instances' sockets, as removing a driver does: the
// kubelet forgets them, slices stay.
func (d *Driver) Disconnect() {
	ginkgo.GinkgoHelper()
	d.t.Step("disconnect the driver")
	d.change(spec.DriverChange{Disconnect: ptr.To(true)})
}

// Connect opens the sockets again and waits until the kubelets have registered
// the instances.
func (d *Driver) Connect() {
	ginkgo.GinkgoHelper()
	d.t.Step("connect the driver again")
	d.change(spec.DriverChange{Disconnect: ptr.To(false)})
	d.each("wait for registration", d.awaitRegistered)
}

// Publish replaces the inventory on all nodes; it is published when Publish
// returns.
func (d *Driver) Publish(p spec.Profile) {
	ginkgo.GinkgoHelper()
	d.t.Step("publish inventory %s", p.Name)
	d.change(spec.DriverChange{Profile: &p})
}

// PublishOn replaces the inventory on one node; it is published when PublishOn
// returns.
func (d *Driver) PublishOn(node string, p spec.Profile) {
	ginkgo.GinkgoHelper()
	d.t.Step("publish inventory %s on %s", p.Name, node)
	d.t.NoError(d.tell(d.t.ctx, node, spec.DriverChange{Profile: &p}), "publish inventory")
}

// Fail scripts faults on all nodes, in place of those before; none ends them.
func (d *Driver) Fail(faults ...spec.Fault) {
	ginkgo.GinkgoHelper()
	for _, f := range faults {
		d.t.Step("script fault: %s %s", f.Method, f.Kind)
	}
	all := append([]spec.Fault{}, faults...) // not nil, which would leave those before
	d.change(spec.DriverChange{Faults: &all})
}

// Calls are the kubelets' calls for a claim, in the order of their start.
func (d *Driver) Calls(method spec.Method, claim string) []spec.Call {
	ginkgo.GinkgoHelper()
	calls, err := d.calls(d.t.ctx, method, claim)
	d.t.NoError(err, "read driver calls")
	return calls
}

func (d *Driver) calls(ctx context.Context, method spec.Method, claim string) ([]spec.Call, error) {
	var calls []spec.Call
	for _, node := range d.t.Nodes {
		status, err := agentapi.Status(ctx, d.t.env.Agents, node, d.Name)
		if err != nil {
			return nil, err
		}
		for _, c := range status.Calls {
			if c.Method == method && isFor(c, claim) {
				calls = append(calls, c)
			}
		}
	}
	slices.SortFunc(calls, func(a, b spec.Call) int { return a.Start.Compare(b.Start) })
	return calls, nil
}

// isFor is whether a call is about a claim, perhaps beside others.
func isFor(c spec.Call, claim string) bool {
	return slices.ContainsFunc(c.Claims, func(cc spec.ClaimCall) bool { return cc.Name == claim })
}

// AwaitCalls waits until ok holds for the calls that have been answered.
func (d *Driver) AwaitCalls(method spec.Method, claim, what string, ok func([]spec.Call) bool) {
	ginkgo.GinkgoHelper()
	d.t.Poll("driver calls "+string(method)+": "+what, func(ctx context.Context) (bool, string, error) {
		calls, err := d.calls(ctx, method, claim)
		calls = slices.DeleteFunc(calls, func(c spec.Call) bool { return c.InProgress })
		return err == nil && ok(calls), describeCalls(calls), err
	})
}

// CalledOn are the nodes whose instances were called for a claim, in their order.
func (d *Driver) CalledOn(claim string) []string {
	ginkgo.GinkgoHelper()
	called := []string{}
	for _, node := range d.t.Nodes {
		status, err := agentapi.Status(d.t.ctx, d.t.env.Agents, node, d.Name)
		d.t.NoError(err, "read driver calls on %s", node)
		if slices.ContainsFunc(status.Calls, func(c spec.Call) bool { return isFor(c, claim) }) {
			called = append(called, node)
		}
	}
	return called
}

// Holds tells whether the driver has a claim prepared.
func (d *Driver) Holds(claim types.UID) bool {
	ginkgo.GinkgoHelper()
	for _, node := range d.t.Nodes {
		status, err := agentapi.Status(d.t.ctx, d.t.env.Agents, node, d.Name)
		d.t.NoError(err, "ask the driver on %s for prepared claims", node)
		if slices.Contains(status.Prepared, claim) {
			return true
		}
	}
	return false
}

// AwaitUnprepared waits until no claim is prepared on any node.
func (d *Driver) AwaitUnprepared() {
	ginkgo.GinkgoHelper()
	d.t.Poll("the driver to have no prepared claims", func(ctx context.Context) (bool, string, error) {
		prepared := 0
		for _, node := range d.t.Nodes {
			status, err := agentapi.Status(ctx, d.t.env.Agents, node, d.Name)
			if err != nil {
				return false, "", err
			}
			prepared += len(status.Prepared)
		}
		return prepared == 0, fmt.Sprintf("%d claims are prepared", prepared), nil
	})
}

// AwaitSlices waits until exactly n ResourceSlices of the driver are published.
func (d *Driver) AwaitSlices(n int) {
	ginkgo.GinkgoHelper()
	d.t.Step("wait for %d ResourceSlices of the driver", n)
	var seen []string
	err := await.All(d.t.ctx, await.Slices(d.t.Client, d.Name), func(all []*resourceapi.ResourceSlice) bool {
		seen = names(all)
		return len(all) == n
	})
	if err != nil {
		d.t.Fatalf("wait for %d ResourceSlices of driver %s: %v\nlast seen: %d %v", n, d.Name, err, len(seen), seen)
	}
	d.t.Note("there are %d ResourceSlices of the driver", n)
}

// Slices are the names of the driver's ResourceSlices, in order.
func (d *Driver) Slices() []string {
	ginkgo.GinkgoHelper()
	list, err := d.t.Client.ResourceV1().ResourceSlices().List(d.t.ctx, metav1.ListOptions{FieldSelector: await.OfDriver(d.Name)})
	d.t.NoError(err, "list the driver's ResourceSlices")
	found := make([]string, 0, len(list.Items))
	for _, s := range list.Items {
		found = append(found, s.Name)
	}
	return found
}

func (d *Driver) awaitRegistered(ctx context.Context, node string) error {
	return awaitRegistered(ctx, d.t.env.Agents, node, d.Name)
}

func (d *Driver) change(c spec.DriverChange) {
	ginkgo.GinkgoHelper()
	d.each("change driver", func(ctx context.Context, node string) error { return d.tell(ctx, node, c) })
}

// tell changes one instance, which may have to wait until it reaches the API server:
// one that has just come back cannot be reached by its service's address at once.
func (d *Driver) tell(ctx context.Context, node string, c spec.DriverChange) error {
	return await.Insist(ctx, "change driver on "+node, func(ctx context.Context) error {
		return agentapi.Change(ctx, d.t.env.Agents, node, d.Name, c)
	})
}

// each does something on all nodes at once.
func (d *Driver) each(what string, do func(ctx context.Context, node string) error) {
	ginkgo.GinkgoHelper()
	group, ctx := errgroup.WithContext(d.t.ctx)
	for _, node := range d.t.Nodes {
		group.Go(func() error { return do(ctx, node) })
	}
	d.t.NoError(group.Wait(), "%s", what)
}

// restore removes faults and connects, so that pods can end. A driver that was told to misbehave
// must not keep them from that; that it cannot be restored matters only if they do not.
func (d *Driver) restore(ctx context.Context) error {
	err := d.everywhere(func(node string) error {
		return agentapi.Change(ctx, d.t.env.Agents, node, d.Name, spec.DriverChange{Faults: &[]spec.Fault{}, Serve: ptr.To(true), Disconnect: ptr.To(false)})
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
	if d.t.env.Mutant != "" {
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
	return d.everywhere(func(node string) error { return agentapi.Stop(ctx, d.t.env.Agents, node, d.Name) })
}

// timeline are the instances' calls.
func (d *Driver) timeline(ctx context.Context) (entries []spec.TimelineEntry, missing []string) {
	for _, node := range d.t.Nodes {
		status, err := agentapi.Status(ctx, d.t.env.Agents, node, d.Name)
		if err != nil {
			missing = append(missing, fmt.Sprintf("driver calls on %s: %v", node, err))
			continue
		}
		entries = append(entries, timeline.Calls(status.Calls, node)...)
	}
	return entries, missing
}

// gather asks the instances for their state and calls.
func (d *Driver) gather(ctx context.Context, e *Evidence) {
	for _, node := range d.t.Nodes {
		status, err := agentapi.Status(ctx, d.t.env.Agents, node, d.Name)
		var content []byte
		if err == nil {
			content, err = json.MarshalIndent(status, "", "  ")
		}
		e.Problem("driver "+d.Name+" on "+node, err)
		if err == nil {
			name := node
			if d != d.t.Driver {
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
		status, err := agentapi.Status(ctx, d.t.env.Agents, node, d.Name)
		if err != nil {
			continue
		}
		for _, claim := range status.Prepared {
			prepared = append(prepared, fmt.Sprintf("claim %s on %s", claim, node))
		}
	}
	return prepared
}

func describeCalls(calls []spec.Call) string {
	if len(calls) == 0 {
		return "no calls"
	}
	lines := make([]string, 0, len(calls))
	for _, c := range calls {
		line := fmt.Sprintf("%s %s at %s", c.Method, c.GRPC, c.Start.Format("15:04:05.000"))
		if c.Error != "" {
			line += " failed: " + c.Error
		}
		for _, cc := range c.Claims {
			line += fmt.Sprintf(" %s=%v", cc.Name, cc.CDIDevices)
			if cc.Error != "" {
				line += " error: " + cc.Error
			}
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "; ")
}

// checkpoint is the name of a kubelet's checkpoint for DRA.
const checkpoint = "dra_manager_state"

// KubeletCheckpoint is the file in which the kubelet of a node keeps what it has
// prepared for DRA.
func (t *T) KubeletCheckpoint(node string) []byte {
	ginkgo.GinkgoHelper()
	files, err := agentapi.ReadEvidence(t.ctx, t.env.Agents, node, time.Now())
	content, ok := files[checkpoint]
	if !ok {
		t.Fatalf("read the kubelet's checkpoint on %s: %v", node, err)
	}
	return content
}
