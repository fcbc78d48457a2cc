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

package spec_test

import (
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/framework/spec"
)

func reviewed(through string, results ...spec.Review) spec.KnownIssue {
	return spec.KnownIssue{Issue: "kubernetes#1", Component: spec.Kubelet, Through: through, Review: "2027-01-31", Does: "It does not.", Reviews: results}
}

func seen(version string) spec.Review {
	return spec.Review{Version: version, Date: "2026-12-10", Result: spec.Seen}
}

func closed(version string) spec.Review {
	return spec.Review{Version: version, Date: "2026-12-11", Result: spec.Closed}
}

func TestStanding(t *testing.T) {
	open := reviewed("1.37")
	mended := open.Reviewed(seen("v1.38.0-beta.0")).Reviewed(closed("v1.38.0-rc.0"))
	back := open.Reviewed(closed("v1.38.0-beta.0")).Reviewed(seen("v1.38.0-rc.0"))
	for _, tc := range []struct {
		name            string
		issue           spec.KnownIssue
		version         string
		not, unreviewed string
	}{
		{"affected", open, "v1.37.9", "", ""},
		{"not reviewed", open, "v1.38.0-alpha.1", "", "the issue was reviewed through 1.37"},
		{"build of a distribution", open, "v1.37.1+k3s1", "", ""},
		{"seen in a prerelease", open.Reviewed(seen("v1.38.0-beta.0")), "v1.38.3", "", ""},
		{"seen, and older than the review", open.Reviewed(seen("v1.38.0-beta.0")), "v1.38.0-alpha.1", "", ""},
		{"seen, and the next minor version", open.Reviewed(seen("v1.38.0-beta.0")), "v1.39.0", "", "the issue was reviewed through 1.38"},
		{"closed", open.Reviewed(closed("v1.38.1")), "v1.38.1", "the issue was last seen in 1.37", ""},
		{"closed, and older than the review", open.Reviewed(closed("v1.38.1")), "v1.38.0", "the issue was last seen in 1.37", ""},
		{"closed, and the next minor version", open.Reviewed(closed("v1.38.1")), "v1.39.0", "the issue was last seen in 1.37", ""},
		{"closed in a later minor version", open.Reviewed(closed("v1.39.0")), "v1.38.0", "", "the issue was reviewed through 1.37"},
		{"closed in a patch release", open.Reviewed(closed("v1.37.3")), "v1.37.4", "the issue was closed in v1.37.3", ""},
		{"before the patch release", open.Reviewed(closed("v1.37.3")), "v1.37.2", "", ""},
		{"after the patch release", open.Reviewed(closed("v1.37.3")), "v1.38.0", "the issue was last seen in 1.37", ""},
		{"closed in an older minor version", open.Reviewed(closed("v1.36.6")), "v1.37.2", "", ""},
		{"closed in an older minor version, and a new one", open.Reviewed(closed("v1.36.6")), "v1.38.0", "", "the issue was reviewed through 1.37"},
		{"prerelease before the mended one", mended, "v1.38.0-beta.0", "", ""},
		{"the mended prerelease", mended, "v1.38.0-rc.0+1a2b", "the issue was closed in v1.38.0-rc.0", ""},
		{"prerelease without it", back, "v1.38.0-beta.0", "the issue was closed in v1.38.0-beta.0", ""},
		{"prerelease that has it again", back, "v1.38.0-rc.0", "", ""},
		{"after the prerelease that has it again", back, "v1.39.0", "", "the issue was reviewed through 1.38"},
		{"known patch release", reviewed("1.37.1"), "v1.38.0", "the issue was last seen in 1.37.1", ""},
	} {
		not, unreviewed, err := tc.issue.Standing(tc.version)
		if not != tc.not || unreviewed != tc.unreviewed || err != nil {
			t.Errorf("%s: got %q, %q, %v", tc.name, not, unreviewed, err)
		}
		if err := tc.issue.Validate(); err != nil {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
	if _, _, err := open.Standing("unknown"); err == nil {
		t.Error("a version that is none has a standing")
	}
}

func TestReviewedReplacesTheReviewOfAVersion(t *testing.T) {
	got := reviewed("1.37", closed("v1.38.0")).Reviewed(seen("v1.38.0")).Reviewed(closed("v1.37.4"))
	if len(got.Reviews) != 2 || got.Reviews[0] != closed("v1.37.4") || got.Reviews[1] != seen("v1.38.0") || got.Through != "1.38" {
		t.Errorf("got %+v", got)
	}
}

func TestReviewsAreComplete(t *testing.T) {
	for want, review := range map[string]spec.Review{
		`version "1.38"`:                    {Version: "1.38", Date: "2026-12-10", Result: spec.Closed},
		`version "v1.38.0-gke.1"`:           {Version: "v1.38.0-gke.1", Date: "2026-12-10", Result: spec.Closed},
		`date "today"`:                      {Version: "v1.38.0", Date: "today", Result: spec.Closed},
		`result "gone"`:                     {Version: "v1.38.0", Date: "2026-12-10", Result: "gone"},
		"but it is recorded through 1.37":   seen("v1.38.0"),
		"sorted by version":                 closed("v1.37.0"),
		"sorted by version, with one for e": closed("v1.37.1"),
	} {
		if err := reviewed("1.37", closed("v1.37.1"), review).Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
