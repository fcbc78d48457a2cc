package pools

import (
	"github.com/onsi/gomega"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Which asks for all pools of a driver, for some, for one and for one that is not there.
var Which = harness.Case{Meta: spec.Meta{
	ID: "pools/which",
	Checks: "A request for the status of pools is told of those of its driver only, in the order of their names: all of them, the one that it names, or as many as it has a limit for, " +
		"and always how many there are.",
	Requires: []spec.RequirementID{"kep-5677/pools-of-driver", "kep-5677/pool-by-name", "kep-5677/pools-limited", "kep-5677/pools-sorted", "kep-5677/complete-condition"},
	Needs:    needs(),
}, Run: func(t *harness.T) {
	for _, pool := range []string{"c", "a", "b"} {
		t.Publish(pool, "", profiles.Device(0, "a", "8Gi"))
	}
	others := objects.NetworkSlice("other-"+t.DriverName(), "other-"+t.DriverName(), "a", profiles.Device(0, "a", "8Gi"))
	t.Create(others)
	line := func(pool string) string {
		return pool + ` on "", generation 1, 1 slices: 1 devices, 0 allocated, 1 available, 0 unavailable`
	}

	expectAnswer(t, "all pools of the driver", about(t), gomega.Equal([]string{"Complete of 3 pools", line("a"), line("b"), line("c")}))
	expectAnswer(t, "one pool", about(t, "b"), gomega.Equal([]string{"Complete of 1 pools", line("b")}))
	expectAnswer(t, "a pool that is not there", about(t, "d"), gomega.Equal([]string{"Complete of 0 pools"}))
	two := about(t)
	two.Limit = ptr.To(int32(2))
	expectAnswer(t, "two pools", two, gomega.Equal([]string{"Complete of 3 pools", line("a"), line("b")}))
}}
