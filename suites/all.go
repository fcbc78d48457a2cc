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
	"github.com/dra-conformance/dratest/suites/lifecycle"
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
		lifecycle.Cases(),
		metrics.Cases(),
		groups.Cases(),
		pools.Cases(),
	)
}
