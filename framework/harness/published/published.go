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

package published

import (
	"cmp"
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/await"
	"github.com/dra-conformance/dratest/framework/pools"
)

// List returns the pools of a driver, and why the first incomplete one is incomplete.
func List(ctx context.Context, client kubernetes.Interface, driver string) (all []pools.Pool, problem string, err error) {
	list, err := client.ResourceV1().ResourceSlices().List(ctx, metav1.ListOptions{FieldSelector: await.OfDriver(driver)})
	if err != nil {
		return nil, "", fmt.Errorf("list slices: %w", err)
	}
	all = pools.Of(driver, list.Items)
	for _, p := range all {
		problem = cmp.Or(problem, p.Problem())
	}
	return all, problem, nil
}

// Pools returns the pools of the case's driver once all of them are complete.
func Pools(t *harness.T) (all []pools.Pool) {
	ginkgo.GinkgoHelper()
	t.Poll("complete pools of driver "+t.DriverName(), func(ctx context.Context) (bool, string, error) {
		found, problem, err := List(ctx, t.Client, t.DriverName())
		all = found
		return err == nil && problem == "", cmp.Or(problem, fmt.Sprintf("%d pools", len(all))), err
	})
	return all
}

// Device returns a device of the case's driver with its pool. An unpublished device ends the
// case.
func Device(t *harness.T, pool, device string) (of pools.Pool, found pools.Device) {
	ginkgo.GinkgoHelper()
	of, found, there := Find(t, pool, device)
	t.Expect(there).To(gomega.BeTrue(), "whether device %s of pool %s is published", device, pool)
	return of, found
}

// Find is Device for a possibly unpublished device.
func Find(t *harness.T, pool, device string) (of pools.Pool, found pools.Device, there bool) {
	ginkgo.GinkgoHelper()
	for _, p := range Pools(t) {
		for _, d := range p.Devices() {
			if p.Name == pool && d.Name == device {
				return p, d, true
			}
		}
	}
	return of, found, false
}
