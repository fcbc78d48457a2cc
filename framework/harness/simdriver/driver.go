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
	"slices"

	"github.com/onsi/ginkgo/v2"
	"golang.org/x/sync/errgroup"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/await"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Driver is a simulated driver: one instance on each node of the case.
type Driver struct {
	// Name is the DRA driver name, unique for the case.
	Name string

	t       *harness.T
	profile spec.Profile
	// class is the device class of its devices, once a case has asked for some.
	class string
	// configure changes what the instances start with; nil changes nothing.
	configure func(*spec.DriverConfig)
}

// GRPC is the version of the plugin API that a kubelet must use: the newest of
// those that the driver offers.
func (d *Driver) GRPC() spec.GRPCVersion {
	if offered := d.t.Meta().Needs.GRPC; len(offered) > 0 && !slices.Contains(offered, spec.GRPCv1) {
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
	d.t.NoError(d.tell(d.t.Context(), node, spec.DriverChange{Profile: &p}), "publish inventory")
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

// AwaitSlices waits until exactly n ResourceSlices of the driver are published.
func (d *Driver) AwaitSlices(n int) {
	ginkgo.GinkgoHelper()
	d.t.Step("wait for %d ResourceSlices of the driver", n)
	var seen []string
	err := await.All(d.t.Context(), await.Slices(d.t.Client, d.Name), func(all []*resourceapi.ResourceSlice) bool {
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
	list, err := d.t.Client.ResourceV1().ResourceSlices().List(d.t.Context(), metav1.ListOptions{FieldSelector: await.OfDriver(d.Name)})
	d.t.NoError(err, "list the driver's ResourceSlices")
	found := make([]string, 0, len(list.Items))
	for _, s := range list.Items {
		found = append(found, s.Name)
	}
	return found
}

func (d *Driver) change(c spec.DriverChange) {
	ginkgo.GinkgoHelper()
	d.each("change driver", func(ctx context.Context, node string) error { return d.tell(ctx, node, c) })
}

// tell changes one instance, which may have to wait until it reaches the API server:
// one that has just come back cannot be reached by its service's address at once.
func (d *Driver) tell(ctx context.Context, node string, c spec.DriverChange) error {
	return await.Insist(ctx, "change driver on "+node, func(ctx context.Context) error {
		return agentapi.Change(ctx, d.t.Env().Agents, node, d.Name, c)
	})
}

// each does something on all nodes at once.
func (d *Driver) each(what string, do func(ctx context.Context, node string) error) {
	ginkgo.GinkgoHelper()
	group, ctx := errgroup.WithContext(d.t.Context())
	for _, node := range d.t.Nodes {
		group.Go(func() error { return do(ctx, node) })
	}
	d.t.NoError(group.Wait(), "%s", what)
}

// LoseCDI removes the CDI files of the driver, as a reboot does.
func (d *Driver) LoseCDI() {
	ginkgo.GinkgoHelper()
	d.t.Step("remove the CDI files of all prepared claims")
	d.change(spec.DriverChange{LoseCDI: true})
}

func names[O metav1.Object](of []O) []string {
	out := make([]string, 0, len(of))
	for _, o := range of {
		out = append(out, o.GetName())
	}
	slices.Sort(out)
	return out
}
