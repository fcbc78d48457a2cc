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
	"fmt"
	"slices"

	"github.com/onsi/ginkgo/v2"
	"golang.org/x/sync/errgroup"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/await"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Driver is a simulated driver with an instance on each node of the case.
type Driver struct {
	// Name is the DRA driver name, unique for the case.
	Name string

	t       *harness.T
	mutant  spec.MutantID
	profile spec.Profile
	// class is created by the first Request.
	class string
	// configure changes the initial configuration of the instances, unless it is nil.
	configure func(*spec.DriverConfig)
}

// Of returns the simulated driver of a case.
func Of(t *harness.T) *Driver {
	ginkgo.GinkgoHelper()
	d, ok := t.Driver.(*Driver)
	if !ok {
		t.Fatalf("the driver of the case is not a simulated one")
	}
	return d
}

// GRPC returns the version of the plugin API for a kubelet to use: the newest one of the driver.
func (d *Driver) GRPC() spec.GRPCVersion {
	if offered := d.t.Meta().Needs.GRPC; len(offered) > 0 && !slices.Contains(offered, spec.GRPCv1) {
		return spec.GRPCv1beta1
	}
	return spec.GRPCv1
}

// Publish replaces the inventory of all nodes and waits until it is published.
func (d *Driver) Publish(p spec.Profile) {
	ginkgo.GinkgoHelper()
	d.t.Step("publish inventory %s", p.Name)
	d.change(spec.DriverChange{Profile: &p})
}

// PublishOn replaces the inventory of one node and waits until it is published.
func (d *Driver) PublishOn(node string, p spec.Profile) {
	ginkgo.GinkgoHelper()
	d.t.Step("publish inventory %s on %s", p.Name, node)
	d.t.NoError(d.changeOn(d.t.Context(), node, spec.DriverChange{Profile: &p}), "publish inventory")
}

// AwaitSlices waits until exactly n ResourceSlices of the driver are published.
func (d *Driver) AwaitSlices(n int) {
	ginkgo.GinkgoHelper()
	d.t.Await(fmt.Sprintf("%d ResourceSlices of driver %s", n, d.Name), "", func(ctx context.Context, saw func(string)) error {
		return await.All(ctx, await.Slices(d.t.Client, d.Name), func(all []*resourceapi.ResourceSlice) bool {
			saw(fmt.Sprintf("%d %v", len(all), names(all)))
			return len(all) == n
		})
	})
}

// Slices returns the names of the driver's ResourceSlices, in order.
func (d *Driver) Slices() []string {
	ginkgo.GinkgoHelper()
	list, err := d.t.Client.ResourceV1().ResourceSlices().List(d.t.Context(), metav1.ListOptions{FieldSelector: await.OfDriver(d.Name)})
	d.t.NoError(err, "list the driver's ResourceSlices")
	found := make([]string, 0, len(list.Items))
	for _, s := range list.Items {
		found = append(found, s.Name)
	}
	return found
}

func (d *Driver) status(ctx context.Context, node string) (spec.DriverStatus, error) {
	return agentapi.Status(ctx, d.t.Env().Agents, node, d.Name)
}

func (d *Driver) change(c spec.DriverChange) {
	ginkgo.GinkgoHelper()
	d.onNodes("change driver", func(ctx context.Context, node string) error { return d.changeOn(ctx, node, c) })
}

// changeOn changes one instance. It retries because the instance may not reach the API server yet: the
// service of a restarted API server is unavailable for a moment.
func (d *Driver) changeOn(ctx context.Context, node string, c spec.DriverChange) error {
	return await.Insist(ctx, "change driver on "+node, func(ctx context.Context) error {
		return agentapi.Change(ctx, d.t.Env().Agents, node, d.Name, c)
	})
}

// onNodes does something on all nodes at once.
func (d *Driver) onNodes(what string, do func(ctx context.Context, node string) error) {
	ginkgo.GinkgoHelper()
	group, ctx := errgroup.WithContext(d.t.Context())
	for _, node := range d.t.Nodes {
		group.Go(func() error { return do(ctx, node) })
	}
	d.t.NoError(group.Wait(), "%s", what)
}

func names[O metav1.Object](of []O) []string {
	out := make([]string, 0, len(of))
	for _, o := range of {
		out = append(out, o.GetName())
	}
	slices.Sort(out)
	return out
}
