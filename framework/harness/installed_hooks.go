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
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/onsi/ginkgo/v2"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dra-conformance/dratest/framework/harness/await"
	"github.com/dra-conformance/dratest/framework/pools"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Hooks run commands of a driver's vendor. It is implemented by framework/run.
type Hooks interface {
	// RunHook returns what a command has printed when it has ended; environment is added to
	// its own.
	RunHook(ctx context.Context, name spec.HookName, hook spec.Hook, environment ...string) (printed string, err error)
}

// putBackTimeout bounds what puts the driver back as it was, beyond the time of the hook.
const putBackTimeout = 3 * time.Minute

// hook runs a command of the vendor. The driver cannot be blamed for one that fails.
func (i *Installed) hook(ctx context.Context, name spec.HookName, environment ...string) error {
	_, err := i.ask(ctx, name, environment...)
	return err
}

// ask is hook, and returns what the command has printed.
func (i *Installed) ask(ctx context.Context, name spec.HookName, environment ...string) (printed string, err error) {
	h, declared := i.subject.Hooks[name]
	switch {
	case !declared || i.t.env.Hooks == nil:
		return "", fmt.Errorf("hook %s cannot be run here", name)
	case h.OnNode:
		printed, err = i.runOnNode(ctx, name, h, environment)
	default:
		printed, err = i.t.env.Hooks.RunHook(ctx, name, h, environment...)
	}
	if err != nil {
		i.t.SetBlocked("hook " + string(name) + " failed")
	}
	return printed, err
}

// putBack has a hook run when the case ends, unless need says that there is no need.
func (i *Installed) putBack(name spec.HookName, need func() bool, environment ...string) {
	ginkgo.DeferCleanup(func(ctx context.Context) {
		if !need() {
			return
		}
		if ginkgo.CurrentSpecReport().Failed() {
			i.t.gatherOnce(ctx)
		}
		i.t.Step("run hook %s, as the case did not", name)
		i.t.NoError(i.restore(ctx, name, environment...), "put the driver back as it was")
	}, ginkgo.NodeTimeout(gatherTimeout+i.subject.Hooks[name].Timeout+putBackTimeout))
}

// restore runs a hook and waits until the driver serves. The case's own time may be over.
func (i *Installed) restore(ctx context.Context, name spec.HookName, environment ...string) error {
	if err := i.hook(ctx, name, environment...); err != nil {
		return err
	}
	if err := i.awaitServing(ctx); err != nil {
		return fmt.Errorf("wait for the driver after hook %s: %w", name, err)
	}
	return nil
}

// awaitServing waits until the driver serves all its nodes, so that the next case finds it there.
func (i *Installed) awaitServing(ctx context.Context) error {
	seen := ""
	err := await.Until(ctx, func(ctx context.Context) (ok bool, err error) {
		ok, seen, err = i.rolledOut(ctx)
		for _, node := range i.subject.Nodes {
			if ok && err == nil {
				ok, seen, err = i.published(ctx, node)
			}
		}
		return ok, err
	})
	if err != nil {
		return fmt.Errorf("%w, last seen: %s", err, seen)
	}
	return nil
}

// Downgrade has the vendor's hook replace the driver by its previous version, on all nodes,
// and waits until that has published. The case ends with this version again.
func (i *Installed) Downgrade() {
	ginkgo.GinkgoHelper()
	i.previous = true
	i.putBack(spec.HookUpgrade, func() bool { return i.previous })
	i.change(spec.HookDowngrade)
}

// Upgrade is the way back from Downgrade.
func (i *Installed) Upgrade() {
	ginkgo.GinkgoHelper()
	i.change(spec.HookUpgrade)
	i.previous = false
}

// change runs a hook that replaces the driver's pods. One that leaves a pod as it was has
// shown nothing, and blocks the case.
func (i *Installed) change(name spec.HookName) {
	ginkgo.GinkgoHelper()
	i.t.Step("run hook %s", name)
	old := i.endAll()
	i.t.NoError(i.hook(i.t.ctx, name), "change the driver's version")
	i.awaitRolledOut()
	pods, err := i.t.driverPods(i.t.ctx)
	i.t.NoError(err, "list the driver's pods")
	for _, p := range pods {
		// One that is going may still be there.
		if old[p.UID] && p.DeletionTimestamp == nil {
			i.t.SetBlocked("hook " + string(name) + " changed nothing")
			i.t.Fatalf("hook %s has ended, and the driver's pod %s/%s is the same as before", name, p.Namespace, p.Name)
		}
	}
	for _, node := range i.subject.Nodes {
		i.AwaitBack(node)
	}
}

// endAll notes that the case ends the driver on all nodes, and returns its pods' UIDs.
func (i *Installed) endAll() map[types.UID]bool {
	ginkgo.GinkgoHelper()
	pods, err := i.t.driverPods(i.t.ctx)
	i.t.NoError(err, "list the driver's pods")
	old := map[types.UID]bool{}
	for _, p := range pods {
		old[p.UID] = true
		i.t.endsDriver(p.Spec.NodeName)
	}
	for _, node := range i.subject.Nodes {
		i.t.endsDriver(node)
	}
	return old
}

// MakeUnhealthy has the vendor's hook break the first device of a claim; the case ends with
// it healed.
func (i *Installed) MakeUnhealthy(claim *resourceapi.ResourceClaim, node string) {
	ginkgo.GinkgoHelper()
	environment := i.about(claim, node)
	i.t.Step("run hook %s with %v", spec.HookMakeUnhealthy, environment)
	i.broken = true
	i.putBack(spec.HookHeal, func() bool { return i.broken }, environment...)
	i.t.NoError(i.hook(i.t.ctx, spec.HookMakeUnhealthy, environment...), "break a device")
}

// Heal is the way back from MakeUnhealthy.
func (i *Installed) Heal(claim *resourceapi.ResourceClaim, node string) {
	ginkgo.GinkgoHelper()
	environment := i.about(claim, node)
	i.t.Step("run hook %s with %v", spec.HookHeal, environment)
	i.t.NoError(i.hook(i.t.ctx, spec.HookHeal, environment...), "heal a device")
	i.broken = false
}

// about tells a hook which device is meant: that which a claim has, or had, on a node.
func (i *Installed) about(claim *resourceapi.ResourceClaim, node string) []string {
	ginkgo.GinkgoHelper()
	results := pools.Allocated(claim, i.subject.Driver)
	if len(results) == 0 {
		i.t.Fatalf("claim %s has no device of driver %s", claim.Name, i.subject.Driver)
	}
	return []string{spec.HookNode + "=" + node, spec.HookPool + "=" + results[0].Pool, spec.HookDevice + "=" + results[0].Device}
}

// Inventory is what the vendor's hook finds on a node, a line for each device.
func (i *Installed) Inventory(node string) []string {
	ginkgo.GinkgoHelper()
	i.t.Step("run hook %s for %s", spec.HookInventory, node)
	printed, err := i.ask(i.t.ctx, spec.HookInventory, spec.HookNode+"="+node)
	i.t.NoError(err, "ask for the devices of %s", node)
	found := []string{}
	for line := range strings.Lines(printed) {
		if line = strings.TrimSpace(line); line != "" {
			found = append(found, line)
		}
	}
	return found
}

// Reboot has the vendor's hook restart a node, and waits until its driver is back. The case
// is blocked if the hook has ended, and the driver was not restarted with the node.
func (i *Installed) Reboot(node string) {
	ginkgo.GinkgoHelper()
	i.t.Step("run hook %s for %s", spec.HookReboot, node)
	i.t.endsDriver(node)
	before := restartsOf(i.pods(i.t.ctx, node))
	i.t.NoError(i.hook(i.t.ctx, spec.HookReboot, spec.HookNode+"="+node), "restart %s", node)
	i.t.SetBlocked("hook " + string(spec.HookReboot) + " has not restarted the driver with the node")
	i.t.Poll(fmt.Sprintf("the driver's pod on %s to be restarted", node), func(ctx context.Context) (bool, string, error) {
		all, err := i.t.driverPods(ctx)
		pods := slices.DeleteFunc(all, func(p corev1.Pod) bool { return p.Spec.NodeName != node })
		return !maps.Equal(before, restartsOf(pods)), fmt.Sprintf("%d pod(s)", len(pods)), err
	})
	i.t.SetBlocked("")
	i.AwaitBack(node)
}

// restartsOf says how often the containers of pods were started again.
func restartsOf(pods []corev1.Pod) map[types.UID]int32 {
	all := map[types.UID]int32{}
	for _, p := range pods {
		for _, c := range p.Status.ContainerStatuses {
			all[p.UID] += c.RestartCount
		}
	}
	return all
}
