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
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"

	"github.com/dra-conformance/dratest/drivers/declarations"
	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/kube"
	"github.com/dra-conformance/dratest/framework/run"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
)

// Contract has the checks of a driver's plugin API, as run by "dratest sanity". The zero value has none.
type Contract struct {
	Metas []spec.Meta
	Run   func(ctx context.Context, b *testbed.Testbed, d ContractDriver) error
}

// ContractDriver is a driver on one of its nodes.
type ContractDriver struct {
	Declaration declarations.Declaration
	Node        string
	// Features are the declared or observed features.
	Features map[spec.DriverFeature]bool
	// Only has the IDs of the checks to run.
	Only []string
	// Restart, Upgrade and Downgrade replace the driver's process; nil if that is impossible or not allowed.
	Restart, Upgrade, Downgrade func(context.Context) error
	// Ended is called with each outcome and the calls made for it.
	Ended func(outcome spec.Outcome, calls []string)
}

// checks returns the contract checks for the driver found in the cluster.
func (c *running) checks(contract Contract) run.Checks {
	return run.Checks{Metas: contract.Metas, Run: func(ctx context.Context, b *testbed.Testbed, ids []string, ended func(spec.Outcome)) error {
		d := ContractDriver{Declaration: c.declaration, Node: c.contractNode(), Features: has(c.declaration.Features, c.observed), Only: ids}
		d.Ended = func(o spec.Outcome, calls []string) {
			if o.Status == spec.Failed || o.Status == spec.Blocked {
				i := slices.IndexFunc(contract.Metas, func(m spec.Meta) bool { return m.ID == o.ID })
				o.Evidence = c.gather(ctx, b, d.Node, contract.Metas[i], o, calls)
			}
			ended(o)
		}
		if b.Target.Disruptable && len(c.pods) > 0 {
			d.Restart = func(ctx context.Context) error { return c.restart(ctx, b.Client, d.Node) }
			d.Upgrade, d.Downgrade = c.replaceBy(spec.HookUpgrade), c.replaceBy(spec.HookDowngrade)
		}
		return contract.Run(ctx, b, d)
	}}
}

// contractNode returns the node with the most free devices.
func (c *running) contractNode() string {
	nodes := c.observation.nodes()
	return slices.MaxFunc(nodes, func(a, b string) int { return cmp.Compare(c.observation.free[a], c.observation.free[b]) })
}

// replaceBy returns a function running a hook of the declaration, or nil.
func (c *running) replaceBy(name spec.HookName) func(context.Context) error {
	h, declared := c.hooks[name]
	if !declared || h.OnNode {
		return nil
	}
	return func(ctx context.Context) error {
		c.replaced = true
		_, err := run.Machine{}.RunHook(ctx, name, h)
		return err
	}
}

// restart deletes the driver's pods on a node and waits until their replacements are ready.
func (c *running) restart(ctx context.Context, client kubernetes.Interface, node string) error {
	c.replaced = true
	old, err := c.driverPods(ctx, client, node)
	if err != nil {
		return err
	}
	for _, p := range old {
		if err := client.CoreV1().Pods(p.Namespace).Delete(ctx, p.Name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("delete the driver's pod %s: %w", p.Name, err)
		}
	}
	err = wait.PollUntilContextCancel(ctx, lookInterval, true, func(ctx context.Context) (bool, error) {
		pods, err := c.driverPods(ctx, client, node)
		return len(pods) > 0 && !slices.ContainsFunc(pods, func(p corev1.Pod) bool {
			return p.DeletionTimestamp != nil || !kube.PodReady(&p) || slices.ContainsFunc(old, func(o corev1.Pod) bool { return o.UID == p.UID })
		}), err
	})
	if err != nil {
		return fmt.Errorf("wait for a new pod of the driver on node %s: %w", node, err)
	}
	return nil
}

// driverPods returns the pods of the driver's DaemonSet on a node.
func (c *running) driverPods(ctx context.Context, client kubernetes.Interface, node string) ([]corev1.Pod, error) {
	w := world{}
	if err := w.discoverDaemonSet(ctx, client, c.declaration.Deploy.DaemonSet); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(w.pods, func(p corev1.Pod) bool { return p.Spec.NodeName != node }), nil
}

// gather writes the evidence of a check and returns its directory.
func (c *running) gather(ctx context.Context, b *testbed.Testbed, node string, m spec.Meta, o spec.Outcome, calls []string) string {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), harness.GatherTimeout)
	defer cancel()
	e := harness.OpenEvidence(c.reportDir, m.ID)
	defer e.Close()
	e.File("steps.txt", []byte(spec.Printable(fmt.Sprintf("%s\n%s\n\n%s\n\n%s\n", m.ID, m.Checks, strings.Join(calls, "\n"), cmp.Or(o.Failure, o.Reason)))))
	pods, err := c.driverPods(ctx, b.Client, node)
	e.Problem("pods of the driver", err)
	since := metav1.NewTime(o.Started)
	for _, p := range pods {
		for _, container := range p.Spec.Containers {
			log, err := harness.ReadLog(ctx, b.Client, p.Namespace, p.Name, corev1.PodLogOptions{Container: container.Name, SinceTime: &since})
			e.Problem("log of the driver's pod "+p.Name, err)
			e.File(filepath.Join("driver", node+"."+container.Name+".log"), log)
		}
	}
	agents, err := b.Agents(ctx)
	e.Problem("node "+node, err)
	if err == nil {
		files, err := agentapi.ReadEvidence(ctx, agents, node, o.Started.Add(-time.Second))
		e.Problem("node "+node, err)
		for name, content := range files {
			e.File(filepath.Join("nodes", node, name), content)
		}
	}
	return e.Folder()
}
