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
	"encoding/json"
	"fmt"
	"slices"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"

	"github.com/dra-conformance/dratest/framework/harness/await"
	"github.com/dra-conformance/dratest/framework/harness/published"
	"github.com/dra-conformance/dratest/framework/pools"
)

// Devices returns the driver's devices on a node. It waits for as many as the run found at first,
// because a restart of the kubelet by the previous case wipes the slices.
func (d *Driver) Devices(node string) (all []pools.Device) {
	ginkgo.GinkgoHelper()
	d.awaitPublished(node)
	d.t.Poll("all of the driver's devices on "+node, func(ctx context.Context) (_ bool, _ string, err error) {
		all, err = d.devices(ctx, node)
		return len(all) >= d.spec.Devices, fmt.Sprintf("%d of %d device(s)", len(all), d.spec.Devices), err
	})
	return all
}

func (d *Driver) devices(ctx context.Context, node string) ([]pools.Device, error) {
	list, err := d.t.Client.ResourceV1().ResourceSlices().List(ctx, metav1.ListOptions{FieldSelector: await.OfDriver(d.spec.Driver)})
	if err != nil {
		return nil, fmt.Errorf("list slices: %w", err)
	}
	return slices.DeleteFunc(pools.Devices(d.spec.Driver, list.Items, nil), func(d pools.Device) bool { return d.Node != node }), nil
}

func (d *Driver) awaitPublished(node string) {
	ginkgo.GinkgoHelper()
	d.t.Poll(fmt.Sprintf("the driver's pools on %s to be complete", node), func(ctx context.Context) (bool, string, error) {
		return d.published(ctx, node)
	})
}

// published is whether the driver has complete pools with devices for a node.
func (d *Driver) published(ctx context.Context, node string) (ok bool, seen string, err error) {
	all, problem, err := published.List(ctx, d.t.Client, d.spec.Driver)
	if err != nil || problem != "" {
		return false, problem, err
	}
	for _, pool := range all {
		ok = ok || slices.ContainsFunc(pool.Devices(), func(d pools.Device) bool { return d.Node == node })
	}
	return ok, fmt.Sprintf("%d pools of the driver", len(all)), nil
}

// ExpectTemplate ends the case if the devices of a node differ from the vendor's declaration.
func (d *Driver) ExpectTemplate(devices []pools.Device) {
	ginkgo.GinkgoHelper()
	if len(d.spec.Template) == 0 {
		d.t.Note("nodes.template is not declared: devices are compared with those of before only")
	}
	d.t.Expect(pools.Misfits(d.spec.Template, devices)).To(gomega.BeEmpty(), "how devices differ from nodes.template")
}

// RemoveSlices removes the driver's slices of a node, as its kubelet does when it starts.
func (d *Driver) RemoveSlices(node string) {
	ginkgo.GinkgoHelper()
	d.t.Step("remove the driver's slices of %s", node)
	selector := fields.Set{resourceapi.ResourceSliceSelectorDriver: d.spec.Driver, resourceapi.ResourceSliceSelectorNodeName: node}
	err := d.t.Client.ResourceV1().ResourceSlices().DeleteCollection(d.t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{FieldSelector: selector.String()})
	d.t.NoError(err, "delete slices")
}

// AwaitSame waits until the driver publishes the same devices for a node as before.
func (d *Driver) AwaitSame(node string, before []pools.Device) {
	ginkgo.GinkgoHelper()
	want := lines(before)
	d.t.Poll(fmt.Sprintf("the driver to publish the same as before for %s", node), func(ctx context.Context) (bool, string, error) {
		now, err := d.devices(ctx, node)
		if err != nil {
			return false, "", err
		}
		seen := difference(want, lines(now))
		return seen == "", seen, nil
	})
}

// lines are devices as texts, without the times of their taints.
func lines(devices []pools.Device) []string {
	all := make([]string, 0, len(devices))
	for _, d := range devices {
		device := d.DeepCopy()
		for n := range device.Taints {
			device.Taints[n].TimeAdded = nil
		}
		text, err := json.Marshal(device)
		if err != nil {
			text = []byte(err.Error()) // no type of the API does that
		}
		all = append(all, fmt.Sprintf("%s/%s: %s", d.Pool, d.Name, text))
	}
	return all
}

// difference describes the first difference between lines, and is empty if there is none.
func difference(before, after []string) string {
	for _, line := range before {
		if !slices.Contains(after, line) {
			return fmt.Sprintf("%d device(s), and no longer %s", len(after), line)
		}
	}
	for _, line := range after {
		if !slices.Contains(before, line) {
			return fmt.Sprintf("%d device(s), and new %s", len(after), line)
		}
	}
	return ""
}
