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

// SkipPermission is the code of cases of an API the run's account may not use.
const SkipPermission spec.SkipCode = "NotPermitted"

// WithoutPermission skips the cases needing a feature; text names the missing permission. Cases skipped already keep
// their reason.
func WithoutPermission(p spec.Plan, f spec.Feature, text string) spec.Plan {
	return without(p, SkipPermission, func(n spec.Needs) string {
		if slices.Contains(n.Features, f) {
			return text
		}
		return ""
	})
}

// WithoutCompanion skips the entries needing a companion, if there is a reason for their needs. Entries skipped
// already keep theirs.
func WithoutCompanion(p spec.Plan, c spec.Companion, code spec.SkipCode, reason func(spec.Needs) string) spec.Plan {
	return without(p, code, func(n spec.Needs) string {
		if n.NeedsCompanion(c) {
			return reason(n)
		}
		return ""
	})
}

// without skips the entries with a reason for their needs.
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
