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

package pools

import (
	"github.com/onsi/gomega"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Which requests all pools of a driver, a limited number, one by name, and a missing one. The total
// is always reported.
var Which = harness.Case{Meta: spec.Meta{
	ID:       "pools/which",
	Checks:   "A pool status request reports pools of its driver only, sorted by name, filtered by name and limited.",
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
	expectAnswer(t, "a nonexistent pool", about(t, "d"), gomega.Equal([]string{"Complete of 0 pools"}))
	two := about(t)
	two.Limit = ptr.To(int32(2))
	expectAnswer(t, "two pools", two, gomega.Equal([]string{"Complete of 3 pools", line("a"), line("b")}))
}}
