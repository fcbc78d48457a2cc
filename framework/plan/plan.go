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

package plan

import (
	"errors"
	"fmt"

	"github.com/dra-conformance/dratest/framework/spec"
)

// Build plans a run: the cases kept by the filter, in order, each with the reason if the target does not meet its
// needs. Errors are invalid cases and an invalid filter, all problems at once.
func Build(metas []spec.Meta, target spec.Target, filter Filter) (spec.Plan, error) {
	selected, err := Select(metas, filter)
	if err := errors.Join(Validate(metas), err); err != nil {
		return spec.Plan{}, err
	}
	p := spec.Plan{Target: target}
	for _, m := range selected {
		p.Entries = append(p.Entries, spec.Entry{Meta: m, Skip: m.Needs.Missing(target)})
	}
	return p, nil
}

// Validate returns all problems of the cases' data, including duplicate IDs and aliases.
func Validate(metas []spec.Meta) error {
	var errs []error
	seen := map[string]int{}
	for _, m := range metas {
		errs = append(errs, m.Validate())
		for _, id := range append([]string{m.ID}, m.Aliases...) {
			if seen[id]++; seen[id] == 2 {
				errs = append(errs, fmt.Errorf("case %q: the id is used more than once", id))
			}
		}
	}
	return errors.Join(errs...)
}
