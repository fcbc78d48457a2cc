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
	"context"
	"fmt"

	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/issues"
	"github.com/dra-conformance/dratest/framework/spec"
)

// IncompleteAnswered has a pool with one of its two slices missing for good.
var IncompleteAnswered = harness.Case{Meta: spec.Meta{
	ID:         "pools/incomplete-answered",
	Checks:     "A pool status request about a pool that stays incomplete is answered, with an error instead of numbers.",
	Requires:   []spec.RequirementID{"kep-5677/incomplete-pool"},
	Needs:      needs(),
	KnownIssue: issues.Known("pool-status-incomplete"),
}, Run: func(t *harness.T) {
	half := t.Slice("half", "", profiles.Device(0, "a", "8Gi"))
	half.Spec.Pool.Name, half.Spec.Pool.ResourceSliceCount = "pool", 2
	t.Create(half)
	t.Publish("witness", "", profiles.Device(0, "a", "8Gi"))
	expectAnswer(t, "a complete pool", about(t, "witness"), gomega.HaveExactElements("Complete of 1 pools", gomega.HavePrefix("witness")))
	ask(t, "incomplete", about(t, "pool"))
	var said []string
	if !t.OccursWithin(patience, "the status of an incomplete pool", func(ctx context.Context) (bool, string, error) {
		status, err := look(ctx, t, "incomplete")
		if status != nil {
			said = answer(t, status)
		}
		return status != nil, fmt.Sprint(said), err
	}) {
		t.KnownIssue("a request about an incomplete pool has no status after %s", patience)
		return
	}
	t.Expect(said).To(gomega.HaveExactElements(gomega.HaveSuffix("of 1 pools"),
		`pool on "", generation 1, ? slices: ? devices, ? allocated, ? available, ? unavailable; PoolIncomplete`), "status of an incomplete pool")
}}
