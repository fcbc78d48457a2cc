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
	"time"

	"github.com/onsi/gomega"
	"github.com/onsi/gomega/types"

	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/spec"
)

// lastCall returns the time of a driver's last call for a claim.
func lastCall(d *simdriver.Driver, method spec.Method, claim string) time.Time {
	last := time.Time{}
	for _, c := range d.Calls(method, claim) {
		last = c.Start
	}
	return last
}

// notBefore matches API times, rounded to seconds, not before another time.
func notBefore(at time.Time) types.GomegaMatcher {
	return gomega.BeTemporally(">=", at.Truncate(time.Second))
}
