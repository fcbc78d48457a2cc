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
	"github.com/dra-conformance/dratest/framework/spec"
)

// GenerationRaised has the library publish a pool that does not fit into one slice, and
// change a device in each of its slices.
var GenerationRaised = harness.Case{Meta: spec.Meta{
	ID: "node/generation-raised",
	Checks: "A driver that changes devices in two slices of a pool raises the pool's generation in both: a pool of which all slices have the highest generation has either all " +
		"changes or none. It shows the library of k8s.io/dynamic-resource-allocation in the test driver, not a vendor's driver.",
	Requires: []spec.RequirementID{"kep-4381/driver-raises-generation"},
	Needs:    spec.Needs{Profile: profiles.OneDevice()},
	Catches:  []spec.MutantID{"driver-slices-in-place"},
}, Run: func(t *harness.T) {
	const devices = resourceapi.ResourceSliceMaxDevices + 2
	profile := profiles.Devices(devices)
	driver := t.SecondDriverAs(profile, func(c *spec.DriverConfig) { c.Publishing = spec.PublishByHelper })
	// pool is the highest generation, how many slices have it, how many there have to be, and
	// how many have changed.
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
