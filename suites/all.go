package suites

import (
	"slices"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/suites/allocation"
	"github.com/dra-conformance/dratest/suites/api"
	"github.com/dra-conformance/dratest/suites/binding"
	"github.com/dra-conformance/dratest/suites/claims"
	"github.com/dra-conformance/dratest/suites/classic"
	"github.com/dra-conformance/dratest/suites/core"
	"github.com/dra-conformance/dratest/suites/eviction"
	"github.com/dra-conformance/dratest/suites/extended"
	"github.com/dra-conformance/dratest/suites/fabric"
	"github.com/dra-conformance/dratest/suites/groups"
	"github.com/dra-conformance/dratest/suites/life"
	"github.com/dra-conformance/dratest/suites/metrics"
	"github.com/dra-conformance/dratest/suites/node"
	"github.com/dra-conformance/dratest/suites/pools"
	"github.com/dra-conformance/dratest/suites/security"
	"github.com/dra-conformance/dratest/suites/whatif"
)

// All returns all cases in listing order.
func All() []harness.Case {
	return slices.Concat(
		api.Cases(),
		claims.Cases(),
		allocation.Cases(),
		core.Cases(),
		extended.Cases(),
		binding.Cases(),
		fabric.Cases(),
		whatif.Cases(),
		classic.Cases(),
		eviction.Cases(),
		node.Cases(),
		security.Cases(),
		life.Cases(),
		metrics.Cases(),
		groups.Cases(),
		pools.Cases(),
	)
}
