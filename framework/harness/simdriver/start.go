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
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/onsi/ginkgo/v2"
	"golang.org/x/sync/errgroup"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/await"
	"github.com/dra-conformance/dratest/framework/spec"
)

// errNotRegistered: a kubelet did not register a running driver.
var errNotRegistered = errors.New("driver not registered")

// startTime bounds how long a kubelet takes to register a driver. The time of a case may end before.
const startTime = 2 * time.Minute

// StartInstance starts an instance of a driver on a node and waits until the kubelet has registered it.
// Pods that start earlier may fail to get their claims prepared.
func StartInstance(ctx context.Context, agents agentapi.AgentClient, node string, config spec.DriverConfig) error {
	if err := agentapi.Start(ctx, agents, node, config); err != nil {
		return fmt.Errorf("start driver on %s: %w", node, err)
	}
	return awaitRegistered(ctx, agents, node, config.Name)
}

func awaitRegistered(ctx context.Context, agents agentapi.AgentClient, node, driver string) error {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	last := ""
	err := await.Until(ctx, func(ctx context.Context) (bool, error) {
		status, err := agentapi.Status(ctx, agents, node, driver)
		last = cmp.Or(status.RegistrationError, status.Problem)
		return status.Registered, err
	})
	if err != nil {
		return fmt.Errorf("%w: wait for the kubelet on %s to register driver %s: %w (last seen: %q)", errNotRegistered, node, driver, err, last)
	}
	return nil
}

// New returns the harness.Env.Driver of simulated drivers with a mutant, or with none.
func New(mutant spec.MutantID) func(t *harness.T, running bool) harness.Driver {
	return func(t *harness.T, running bool) harness.Driver {
		ginkgo.GinkgoHelper()
		return newDriver(t, mutant, running)
	}
}

// newDriver returns the driver of a case, and starts it unless it is running.
func newDriver(t *harness.T, mutant spec.MutantID, running bool) *Driver {
	ginkgo.GinkgoHelper()
	d := &Driver{Name: harness.DriverName(t.Meta().ID, t.Namespace), t: t, mutant: mutant, profile: t.Meta().Needs.Profile}
	if len(d.profile.Pools) == 0 { // the case needs no instances
		return d
	}
	d.add()
	if running {
		// Everything else is removed with the namespace.
		t.Track(&resourceapi.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: d.Name}})
		return d
	}
	t.Step("start driver %s", d.Name)
	err := d.start()
	if errors.Is(err, errNotRegistered) {
		t.SetBlocked("") // a fault of the kubelet
	}
	t.NoError(err, "start driver %s", d.Name)
	return d
}

// Second starts another driver on all nodes of the case and waits until the kubelets have registered it
// and its pools are published. A case has at most two. configure changes the initial configuration of
// its instances, unless it is nil.
func Second(t *harness.T, profile spec.Profile, configure func(*spec.DriverConfig)) *Driver {
	ginkgo.GinkgoHelper()
	return Start(t, harness.DriverName("second/second", t.Namespace), profile, configure)
}

// Start is Second with a name.
func Start(t *harness.T, name string, profile spec.Profile, configure func(*spec.DriverConfig)) *Driver {
	ginkgo.GinkgoHelper()
	d := &Driver{Name: name, t: t, mutant: Of(t).mutant, profile: profile, configure: configure}
	d.add()
	t.Step("start driver %s", d.Name)
	t.NoError(d.start(), "start driver %s", d.Name)
	return d
}

// add adds the driver to the case. It stops at the end of the case.
func (d *Driver) add() {
	d.t.OnRestore(d.restore)
	d.t.OnRemoved(d.awaitNonePrepared)
	d.t.OnCleanup(d.end)
	d.t.AddEvidence(d.gather)
	d.t.AddTimeline(d.timeline)
}

// start starts all instances and waits until the kubelets have registered them and their pools are
// published.
func (d *Driver) start() error {
	t := d.t
	group, ctx := errgroup.WithContext(t.Context())
	for _, node := range t.Nodes {
		group.Go(func() error {
			if err := d.startOn(ctx, node); err != nil {
				return err
			}
			return d.awaitRegistered(ctx, node)
		})
	}
	group.Go(func() error { return await.Pools(ctx, t.Client, d.Name, d.pools()) })
	return group.Wait()
}

// startOn starts one instance in its initial configuration.
func (d *Driver) startOn(ctx context.Context, node string) error {
	t := d.t
	config := spec.DriverConfig{Name: d.Name, Profile: d.profile, GRPC: t.Meta().Needs.GRPC, Mutant: d.mutant}
	if d.configure != nil {
		d.configure(&config)
	}
	if err := agentapi.Start(ctx, t.Env().Agents, node, config); err != nil {
		return fmt.Errorf("start driver on %s: %w", node, err)
	}
	return nil
}

// pools returns the number of pools of all instances.
func (d *Driver) pools() int { return len(d.t.Nodes) * len(d.profile.Pools) }

func (d *Driver) awaitRegistered(ctx context.Context, node string) error {
	return awaitRegistered(ctx, d.t.Env().Agents, node, d.Name)
}

const (
	// restartPatience bounds the retries while a node restarts.
	restartPatience = 5 * time.Minute
	// startTry bounds one attempt. A broken connection to the node takes much longer to fail.
	startTry = 5 * time.Second
)

// StartAgain starts the driver on restarted nodes, as the DaemonSet of an ordinary driver does, and
// waits until it is ready. It ignores nodes outside the case.
func (d *Driver) StartAgain(nodes ...string) {
	ginkgo.GinkgoHelper()
	nodes = slices.DeleteFunc(slices.Clone(nodes), func(node string) bool { return !slices.Contains(d.t.Nodes, node) })
	if len(nodes) == 0 {
		return
	}
	for _, node := range nodes {
		d.t.PollPatiently(fmt.Sprintf("the driver to start again on %s", node), restartPatience, func(ctx context.Context) (bool, string, error) {
			ctx, cancel := context.WithTimeout(ctx, startTry)
			defer cancel()
			err := d.startOn(ctx, node)
			return err == nil, "it runs", err
		})
		d.t.NoError(d.awaitRegistered(d.t.Context(), node), "wait for registration")
	}
	d.t.NoError(await.Pools(d.t.Context(), d.t.Client, d.Name, d.pools()), "wait for the driver's pools")
}

// RunsOn reports whether the driver runs on a node: it does not after a restart or replacement of the node.
func (d *Driver) RunsOn(node string) bool {
	ginkgo.GinkgoHelper()
	drivers, err := d.t.Env().Agents.ListDrivers(d.t.Context(), &agentapi.NodeRequest{Node: node})
	d.t.NoError(err, "list the drivers on %s", node)
	return slices.Contains(drivers.GetNames(), d.Name)
}
