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

package problem_test

import (
	"testing"

	"github.com/dra-conformance/dratest/framework/fuzztest"
	"github.com/dra-conformance/dratest/framework/problem"
)

// FuzzParse checks that a parsed problem survives a round trip, also as a copy.
func FuzzParse(f *testing.F) {
	f.Add([]byte("nodes: [{name: n, labels: {a: b}}]\nclaims: [{metadata: {name: c}, spec: {devices: {requests: [{name: r, exactly: {deviceClassName: k}}]}}}]\npods: [{name: p, claims: [c]}]\n"))
	f.Add([]byte("slices: [{spec: {pool: {name: p}, devices: [{name: d, capacity: {m: {value: 1e3}}}]}}]\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := problem.Parse(data)
		if err != nil {
			return
		}
		fuzztest.RoundTrip(t, p, (*problem.Problem).YAML, problem.Parse)
		fuzztest.RoundTrip(t, p.Copy(), (*problem.Problem).YAML, problem.Parse)
		_ = p.AllPods()
	})
}
