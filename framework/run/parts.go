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

package run

import (
	"context"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
)

// Parts are the dependencies of a run.
type Parts struct {
	testbed.Parts

	Cases []harness.Case
	// Checks are further cases, which are no Ginkgo specs.
	Checks Checks
	// Requirements are the requirements of cases; reports have their level and text.
	Requirements []spec.Requirement
	// DriverUnderTest is the driver under test; nil if each case brings its own.
	DriverUnderTest DriverUnderTest
	// Register turns cases into Ginkgo specs; nil means harness.Register.
	Register func(cases []harness.Case, env func() *harness.Env)
}

// DriverUnderTest is the driver under test. It is only used by the process preparing the run.
type DriverUnderTest interface {
	// Find returns the driver's description, after discovery of the cluster.
	Find(ctx context.Context, b *testbed.Testbed) (spec.DriverUnderTest, error)
	// Before and After are called with the agents in place: before the first case, and after the last one.
	Before(ctx context.Context, b *testbed.Testbed) error
	After(ctx context.Context, b *testbed.Testbed) error
}

// Metas returns the data of all cases, checks last.
func (p Parts) Metas() []spec.Meta { return append(Metas(p.Cases), p.Checks.Metas...) }

func (p Parts) register(cases []harness.Case, env func() *harness.Env) {
	if p.Register != nil {
		p.Register(cases, env)
		return
	}
	harness.Register(cases, env)
}

// Metas returns the data of the cases, in order.
func Metas(cases []harness.Case) []spec.Meta {
	metas := make([]spec.Meta, 0, len(cases))
	for _, c := range cases {
		metas = append(metas, c.Meta)
	}
	return metas
}
