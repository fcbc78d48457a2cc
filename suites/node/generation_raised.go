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

package node

import (
	"context"
	"fmt"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/spec"
)

// GenerationRaised publishes a pool of several slices and changes a device in each. Slices of the
// highest generation contain all changes or none. It tests the library
// k8s.io/dynamic-resource-allocation in the test driver, not a vendor's driver.
var GenerationRaised = harness.Case{Meta: spec.Meta{
	ID:       "node/generation-raised",
	Checks:   "The kubelet plugin library raises the generation of all slices when devices in two slices of a pool change.",
	Requires: []spec.RequirementID{"kep-4381/driver-raises-generation"},
	Needs:    spec.Needs{Profile: profiles.OneDevice()},
	Catches:  []spec.MutantID{"driver-slices-in-place"},
}, Run: func(t *harness.T) {
	const devices = resourceapi.ResourceSliceMaxDevices + 2
	profile := profiles.Devices(devices)
	driver := simdriver.Second(t, profile, func(c *spec.DriverConfig) { c.Publishing = spec.PublishByHelper })
	// pool has a pool's highest generation, its slice count in that generation, the required slice
	// count, and the number of changed slices.
	type pool struct {
		generation      int64
		slices, changed int
		count           int64
	}
	look := func(ctx context.Context) (p pool, err error) {
		list, err := t.Client.ResourceV1().ResourceSlices().List(ctx, metav1.ListOptions{FieldSelector: resourceapi.ResourceSliceSelectorDriver + "=" + driver.Name})
		if err != nil {
			return p, err
		}
		for _, s := range list.Items {
			if s.Spec.Pool.Generation > p.generation {
				p = pool{generation: s.Spec.Pool.Generation, count: s.Spec.Pool.ResourceSliceCount}
			}
			if s.Spec.Pool.Generation < p.generation {
				continue
			}
			p.slices++
			if _, ok := s.Spec.Devices[0].Attributes["changed"]; ok {
				p.changed++
			}
		}
		return p, nil
	}
	before, err := look(t.Context())
	t.NoError(err, "list the slices")
	t.Expect(before).To(gomega.Equal(pool{generation: before.generation, slices: 2, count: 2}), "the pool before")

	for i := range profile.Pools[0].Devices {
		profile.Pools[0].Devices[i].Attributes["changed"] = resourceapi.DeviceAttribute{BoolValue: ptr.To(true)}
	}
	driver.Publish(profile)
	torn := ""
	var after pool
	t.Poll("both slices to have changed", func(ctx context.Context) (bool, string, error) {
		if after, err = look(ctx); int64(after.slices) == after.count && after.changed != 0 && after.changed != after.slices {
			torn = fmt.Sprintf("%+v", after)
		}
		return after.changed == 2, fmt.Sprintf("%+v", after), err
	})
	t.Expect(torn).To(gomega.BeEmpty(), "a complete pool of the highest generation with some of the changes")
	t.Expect(after.generation).To(gomega.BeNumerically(">", before.generation), "generation of the pool")
	t.Expect(after.slices).To(gomega.Equal(2), "slices of that generation")
}}
