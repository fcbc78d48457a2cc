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

package undertest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/onsi/ginkgo/v2"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/await"
	"github.com/dra-conformance/dratest/framework/pools"
	"github.com/dra-conformance/dratest/framework/spec"
)

// putBackTimeout bounds the restoration of the driver, beyond the time of the hook.
const putBackTimeout = 3 * time.Minute

// hook runs a command of the vendor. If it fails, the case is blocked.
func (d *Driver) hook(ctx context.Context, name spec.HookName, environment ...string) error {
	_, err := d.ask(ctx, name, environment...)
	return err
}

// ask is hook, and returns the command's output.
func (d *Driver) ask(ctx context.Context, name spec.HookName, environment ...string) (printed string, err error) {
	h, declared := d.spec.Hooks[name]
	switch {
	case !declared || d.hooks == nil:
		return "", fmt.Errorf("hook %s cannot be run here", name)
	case h.OnNode:
		printed, err = d.runOnNode(ctx, name, h, environment)
	default:
		printed, err = d.hooks.RunHook(ctx, name, h, environment...)
	}
	if err != nil {
		d.t.SetBlocked("hook " + string(name) + " failed")
	}
	return printed, err
}

// putBack runs a hook when the case ends, if need returns true then.
func (d *Driver) putBack(name spec.HookName, need func() bool, environment ...string) {
	ginkgo.DeferCleanup(func(ctx context.Context) {
		if !need() {
			return
		}
		if ginkgo.CurrentSpecReport().Failed() {
			d.t.GatherEvidence(ctx)
		}
		d.t.Step("run hook %s, as the case did not", name)
		d.t.NoError(d.restore(ctx, name, environment...), "put the driver back as it was")
	}, ginkgo.NodeTimeout(harness.GatherTimeout+d.spec.Hooks[name].Timeout+putBackTimeout))
}

// restore runs a hook and waits until the driver serves. The context is not the case's, whose time
// may be over.
func (d *Driver) restore(ctx context.Context, name spec.HookName, environment ...string) error {
	if err := d.hook(ctx, name, environment...); err != nil {
		return err
	}
	if err := d.awaitServing(ctx); err != nil {
		return fmt.Errorf("wait for the driver after hook %s: %w", name, err)
	}
	return nil
}

// awaitServing waits until the driver serves all its nodes, for the next case.
func (d *Driver) awaitServing(ctx context.Context) error {
	seen := ""
	err := await.Until(ctx, func(ctx context.Context) (ok bool, err error) {
		ok, seen, err = d.rolledOut(ctx)
		for _, node := range d.spec.Nodes {
			if ok && err == nil {
				ok, seen, err = d.published(ctx, node)
			}
		}
		return ok, err
	})
	if err != nil {
		return fmt.Errorf("%w, last seen: %s", err, seen)
	}
	return nil
}

// Downgrade replaces the driver by its previous version on all nodes, with the vendor's hook, and
// waits for its slices. The current version is back when the case ends.
func (d *Driver) Downgrade() {
	ginkgo.GinkgoHelper()
	d.previous = true
	d.putBack(spec.HookUpgrade, func() bool { return d.previous })
	d.change(spec.HookDowngrade)
}

// Upgrade undoes Downgrade.
func (d *Driver) Upgrade() {
	ginkgo.GinkgoHelper()
	d.change(spec.HookUpgrade)
	d.previous = false
}

// change runs a hook to replace the driver's pods. If a pod stays, the case is blocked.
func (d *Driver) change(name spec.HookName) {
	ginkgo.GinkgoHelper()
	d.t.Step("run hook %s", name)
	old := d.endAll()
	d.t.NoError(d.hook(d.t.Context(), name), "change the driver's version")
	d.awaitRolledOut()
	pods, err := d.driverPods(d.t.Context())
	d.t.NoError(err, "list the driver's pods")
	for _, p := range pods {
		// A terminating pod may still exist.
		if old[p.UID] && p.DeletionTimestamp == nil {
			d.t.SetBlocked("hook " + string(name) + " changed nothing")
			d.t.Fatalf("hook %s has ended, and the driver's pod %s/%s is the same as before", name, p.Namespace, p.Name)
		}
	}
	for _, node := range d.spec.Nodes {
		d.AwaitBack(node)
	}
}

// MakeUnhealthy breaks the first device of a claim with the vendor's hook. It is healed when the
// case ends.
func (d *Driver) MakeUnhealthy(claim *resourceapi.ResourceClaim, node string) {
	ginkgo.GinkgoHelper()
	environment := d.about(claim, node)
	d.t.Step("run hook %s with %v", spec.HookMakeUnhealthy, environment)
	d.broken = true
	d.putBack(spec.HookHeal, func() bool { return d.broken }, environment...)
	d.t.NoError(d.hook(d.t.Context(), spec.HookMakeUnhealthy, environment...), "break a device")
}

// Heal undoes MakeUnhealthy.
func (d *Driver) Heal(claim *resourceapi.ResourceClaim, node string) {
	ginkgo.GinkgoHelper()
	environment := d.about(claim, node)
	d.t.Step("run hook %s with %v", spec.HookHeal, environment)
	d.t.NoError(d.hook(d.t.Context(), spec.HookHeal, environment...), "heal a device")
	d.broken = false
}

// about is the environment of a hook for a claim's device on a node.
func (d *Driver) about(claim *resourceapi.ResourceClaim, node string) []string {
	ginkgo.GinkgoHelper()
	results := pools.Allocated(claim, d.spec.Driver)
	if len(results) == 0 {
		d.t.Fatalf("claim %s has no device of driver %s", claim.Name, d.spec.Driver)
	}
	return []string{spec.HookNode + "=" + node, spec.HookPool + "=" + results[0].Pool, spec.HookDevice + "=" + results[0].Device}
}

// Inventory returns the devices found by the vendor's hook on a node, one per line of its output.
func (d *Driver) Inventory(node string) []string {
	ginkgo.GinkgoHelper()
	d.t.Step("run hook %s for %s", spec.HookInventory, node)
	printed, err := d.ask(d.t.Context(), spec.HookInventory, spec.HookNode+"="+node)
	d.t.NoError(err, "ask for the devices of %s", node)
	found := []string{}
	for line := range strings.Lines(printed) {
		if line = strings.TrimSpace(line); line != "" {
			found = append(found, line)
		}
	}
	return found
}

// Reboot restarts a node with the vendor's hook and waits until its driver is back. If the driver
// was not restarted with the node, the case is blocked.
func (d *Driver) Reboot(node string) {
	ginkgo.GinkgoHelper()
	d.t.Step("run hook %s for %s", spec.HookReboot, node)
	d.endsDriver(node)
	before := restartsOf(d.pods(d.t.Context(), node))
	d.t.NoError(d.hook(d.t.Context(), spec.HookReboot, spec.HookNode+"="+node), "restart %s", node)
	d.t.SetBlocked("hook " + string(spec.HookReboot) + " has not restarted the driver with the node")
	d.t.Poll(fmt.Sprintf("the driver's pod on %s to be restarted", node), func(ctx context.Context) (bool, string, error) {
		all, err := d.driverPods(ctx)
		pods := slices.DeleteFunc(all, func(p corev1.Pod) bool { return p.Spec.NodeName != node })
		return !maps.Equal(before, restartsOf(pods)), fmt.Sprintf("restarts %v, before %v", restartsOf(pods), before), err
	})
	d.t.SetBlocked("")
	d.AwaitBack(node)
}

// restartsOf counts the container restarts of pods.
func restartsOf(pods []corev1.Pod) map[types.UID]int32 {
	all := map[types.UID]int32{}
	for _, p := range pods {
		for _, c := range p.Status.ContainerStatuses {
			all[p.UID] += c.RestartCount
		}
	}
	return all
}
