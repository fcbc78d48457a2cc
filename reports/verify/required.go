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

package verify

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/profile"
	"github.com/dra-conformance/dratest/reports/schema"
)

// knows returns an error for reports with unknown case lists.
func (r Rules) knows(c schema.ConformanceReport) error {
	by := strings.TrimSpace("dratest " + c.Suite.Version + " " + c.Suite.Commit)
	known := func(v profile.Version) bool {
		return slices.Contains(slices.Collect(maps.Values(v.Lists)), c.Suite.RequiredCases) || c.Profile != nil && v.Version == c.Profile.Version
	}
	switch {
	case c.Suite.RequiredCases == schema.RequiredDigest(r.Required), slices.ContainsFunc(r.Versions, known):
		return nil
	case c.Profile == nil:
		return fmt.Errorf("%w: it has no profile, and cases unknown to this dratest: verify it with %s, which wrote it", schema.ErrOtherVersion, by)
	case strings.HasSuffix(c.Profile.Version, profile.Draft):
		return fmt.Errorf("%w: profile %s is a list of cases from between releases: verify it with %s, which wrote it", schema.ErrOtherVersion, c.Profile, by)
	default:
		return fmt.Errorf("%w: profile %s is newer than v%d, the newest that this dratest knows: verify it with %s, which wrote it, or a newer one",
			schema.ErrOtherVersion, c.Profile, len(r.Versions), by)
	}
}

// required compares the case list with that of its version. If the digest is pinned, the report's own
// list counts.
func (v *verification) required() {
	c := v.conformance
	list := make([]schema.RequiredCase, 0, len(c.Cases))
	for _, each := range c.Cases {
		list = append(list, each.RequiredCase)
	}
	digest := schema.RequiredDigest(list)
	if c.Suite.RequiredCases != digest {
		v.refuse("%s: its suite requires other cases (%s) than its list has (%s)", reports.ConformanceFile, c.Suite.RequiredCases, digest)
	}
	switch {
	case digest == schema.RequiredDigest(v.rules.Required):
	case !strings.HasSuffix(profile.Of(v.rules.Versions, v.engine(), digest), profile.Draft):
		v.list = list
	default:
		v.refuse("%s: its suite requires other cases (%s) than this dratest and the versions that it knows: the list was changed", reports.ConformanceFile, digest)
		v.compare(reports.ConformanceFile+": list of required cases", "this dratest requires", list, v.rules.Required)
	}
}

// engine returns the command of the report.
func (v *verification) engine() schema.Engine { return cmp.Or(v.conformance.Engine, schema.EngineRun) }

// version returns the profile version for a digest, or its draft with the same list.
func (v *verification) version(digest string) string {
	version := profile.Of(v.rules.Versions, v.engine(), digest)
	if p := v.conformance.Profile; p != nil && p.Version == version+profile.Draft {
		return p.Version
	}
	return version
}

// Wrote reports whether this build wrote a report. Other builds can render it differently, so only the
// digests of their renderings are comparable.
func (r Rules) Wrote(c schema.ConformanceReport) bool {
	return c.Suite.Suite == r.Build && c.Suite.RequiredCases == schema.RequiredDigest(r.Required)
}

// profile rejects a profile other than the run's.
func (v *verification) profile(r schema.Report) {
	if e := v.conformance.Engine; e == schema.EngineSanity || e == schema.EngineUpgrade {
		if r.Profile != nil {
			v.refuse("%s: its profile is %s, and \"dratest %s\" has none", reports.JSONFile, r.Profile, e)
		}
		return
	}
	if v.conformance.Profile == nil {
		if v.engine() != schema.EngineRun || !r.Selection.Narrowed() {
			v.refuse("%s: it has no profile", reports.ConformanceFile)
		}
		return
	}
	target := spec.ClusterTarget
	switch {
	case v.engine() == schema.EngineCertify:
		target = spec.DriverTarget
	case r.Cluster.Provider == string(spec.ControlPlaneTarget):
		target = spec.ControlPlaneTarget
	}
	if name, want := v.conformance.Profile.Name, target.Of(spec.Subset(r.Selection.Profile)); name != want {
		v.refuse("%s: profile.name is %s, and the run was for profile %s", reports.ConformanceFile, name, want)
	}
}
