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

package sanity

import (
	"sync"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/spec"
)

// parallelCalls is about: kubeletplugin.DRAPlugin.
var parallelCalls = Check{Meta: spec.Meta{
	ID:       "sanity/parallel-calls",
	Checks:   "Claims prepared and unprepared in parallel, several times each, end up as with serial calls.",
	Requires: []spec.RequirementID{"kep-4381/prepare-idempotent", "kep-4381/unprepare-undoes-prepare"},
}, Source: "kubeletplugin.DRAPlugin", Run: func(t *T) {
	devices := t.Devices(2)
	before := t.CDI()
	claims := []*resourceapi.ResourceClaim{t.One(devices[0]), t.One(devices[1])}
	answers := make([]*Answer, parallel)
	t.expect(atOnce(func(i int) (err error) {
		answers[i], err = t.prepareOne(t.ctx, claims[i%2])
		return err
	}), "prepare at the same time")
	for i, answer := range answers {
		t.expect(differences(answers[i%2], answer), "prepare at the same time")
	}
	t.expect(t.CDI().unresolved(ids(answers...)), "after prepare at the same time")
	t.expect(atOnce(func(i int) error { return t.unprepareOne(t.ctx, claims[i%2]) }), "unprepare at the same time")
	for i, claim := range claims {
		t.expect(t.CDI().left(before, claim, ids(answers[i])), "after unprepare at the same time")
	}
}}

// parallel is the number of concurrent calls.
const parallel = 8

// atOnce runs a function in parallel and returns the problems.
func atOnce(do func(i int) error) []string {
	errs := make([]error, parallel)
	var running sync.WaitGroup
	for i := range parallel {
		running.Go(func() { errs[i] = do(i) })
	}
	running.Wait()
	var problems []string
	for _, err := range errs {
		if err != nil {
			problems = append(problems, err.Error())
		}
	}
	return problems
}
