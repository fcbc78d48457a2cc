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
	"slices"

	"github.com/dra-conformance/dratest/framework/spec"
)

// SkipPermission is the code of cases of an API that the run's account may not use.
const SkipPermission spec.SkipCode = "NotPermitted"

// WithoutPermission is a plan in which the cases that need a feature do not run; text says
// what the account may not do. Those that did not run anyway keep their reason.
func WithoutPermission(p spec.Plan, f spec.Feature, text string) spec.Plan {
	return without(p, SkipPermission, func(n spec.Needs) string {
		if slices.Contains(n.Features, f) {
			return text
		}
		return ""
	})
}

// WithoutCompanion skips the entries that need a companion and for whose needs there is a
// reason. Entries that are skipped already keep theirs.
func WithoutCompanion(p spec.Plan, c spec.Companion, code spec.SkipCode, reason func(spec.Needs) string) spec.Plan {
	return without(p, code, func(n spec.Needs) string {
		if n.Beside(c) {
			return reason(n)
		}
		return ""
	})
}

// without skips the entries for whose needs there is a reason.
func without(p spec.Plan, code spec.SkipCode, reason func(spec.Needs) string) spec.Plan {
	entries := make([]spec.Entry, 0, len(p.Entries))
	for _, e := range p.Entries {
		if e.Skip == nil {
			if text := reason(e.Meta.Needs); text != "" {
				e.Skip = &spec.Skip{Code: code, Text: text}
			}
		}
		entries = append(entries, e)
	}
	p.Entries = entries
	return p
}
