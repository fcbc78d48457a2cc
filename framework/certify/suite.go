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

package certify

import (
	"github.com/onsi/ginkgo/v2"

	"github.com/dra-conformance/dratest/framework/run"
)

// Suite runs the cases of a certification as a Ginkgo suite of a Go test (see run.Suite), after the checks of driver
// and devices, like Run. There is a report and no certificate: leftovers are not checked.
func Suite(t ginkgo.GinkgoTestingT, parts run.Parts, o Options) {
	_, parts = certification(parts, o)
	run.Suite(t, parts, o.Run)
}
