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

package spec

import (
	"errors"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/version"
)

// Review is the result of a known issue's cases on a version of its component.
type Review struct {
	// Version is the reviewed release, as "v1.38.0" or "v1.38.0-beta.0".
	Version string `json:"version" yaml:"version"`
	// Date is the day of the review, as "2026-12-10".
	Date   string       `json:"date" yaml:"date"`
	Result ReviewResult `json:"result" yaml:"result"`
}

// ReviewResult is the result of a review.
type ReviewResult string

// The results of reviews.
const (
	// Seen means that the cases observed exactly the issue.
	Seen ReviewResult = "seen"
	// Closed means that the cases passed.
	Closed ReviewResult = "closed"
)

// Reviewed returns the issue with one more review. A review that sees it extends Through to the minor version.
func (k KnownIssue) Reviewed(r Review) KnownIssue {
	k.Reviews = slices.DeleteFunc(slices.Clone(k.Reviews), func(old Review) bool { return old.Version == r.Version })
	later := slices.IndexFunc(k.Reviews, func(old Review) bool { return compareReviews(old, r) > 0 })
	if later < 0 {
		later = len(k.Reviews)
	}
	k.Reviews = slices.Insert(k.Reviews, later, r)
	if v, err := version.ParseSemantic(r.Version); err == nil && r.Result == Seen && k.newer(v) {
		k.Through = minorOf(v)
	}
	return k
}

// Standing returns why a version of the component is not affected, or why the issue has to be reviewed for it. Both are
// empty for affected versions.
func (k KnownIssue) Standing(of string) (not, unreviewed string, err error) {
	v, err := parseVersion(of)
	if err != nil {
		return "", "", err
	}
	newer := k.newer(v)
	through := version.MustParseGeneric(k.Through)
	last, closed := Review{}, false
	for _, r := range k.Reviews {
		reviewed, err := version.ParseSemantic(r.Version)
		if err != nil {
			return "", "", err
		}
		// A fix in an older minor version may be missing in newer ones.
		if v.Minor() == reviewed.Minor() && !v.LessThan(reviewed) {
			last = r
		}
		if v.Minor() >= reviewed.Minor() && reviewed.Minor() >= through.Minor() {
			closed = r.Result == Closed
		}
	}
	switch {
	case last.Result == Closed && !newer:
		return "the issue was closed in " + last.Version, "", nil
	case newer && (closed || k.endsWithPatch()):
		return "the issue was last seen in " + k.Through, "", nil
	case newer:
		return "", "the issue was reviewed through " + k.Through, nil
	case k.From != "" && v.LessThan(version.MustParseGeneric(k.From)):
		return "the issue was first seen in " + k.From, "", nil
	}
	return "", "", nil
}

// newer reports whether a version is newer than Through.
func (k KnownIssue) newer(v *version.Version) bool {
	last := version.MustParseGeneric(k.Through)
	if k.endsWithPatch() {
		return v.AtLeast(last.WithPatch(last.Patch() + 1))
	}
	return v.AtLeast(last.AddMinor(1))
}

// endsWithPatch reports whether the issue is known to be fixed in a patch release, and so in all newer ones.
func (k KnownIssue) endsWithPatch() bool {
	return len(version.MustParseGeneric(k.Through).Components()) > 2
}

func (k KnownIssue) validateReviews() error {
	for i, r := range k.Reviews {
		v, err := version.ParseSemantic(r.Version)
		switch {
		case err != nil || !IsRelease(r.Version):
			return fmt.Errorf(`version %q of a review must be a release or prerelease, as "v1.38.0-beta.0"`, r.Version)
		case !isDate(r.Date):
			return fmt.Errorf(`date %q of the review of %s must be a day, as "2026-12-10"`, r.Date, r.Version)
		case r.Result != Seen && r.Result != Closed:
			return fmt.Errorf("result %q of the review of %s must be %s or %s", r.Result, r.Version, Seen, Closed)
		case r.Result == Seen && k.newer(v):
			return fmt.Errorf("the review of %s saw the issue, but it is recorded through %s", r.Version, k.Through)
		case i > 0 && compareReviews(k.Reviews[i-1], r) >= 0:
			return errors.New("reviews must be sorted by version, with one for each")
		}
	}
	return nil
}

// compareReviews sorts valid reviews by version.
func compareReviews(a, b Review) int {
	order, _ := version.MustParseSemantic(a.Version).Compare(b.Version)
	return order
}

func minorOf(v *version.Version) string { return fmt.Sprintf("%d.%d", v.Major(), v.Minor()) }

// parseVersion parses the version of a component without the suffix of a distribution.
func parseVersion(of string) (*version.Version, error) {
	if release, ok := ReleaseOf(of); ok {
		return version.ParseSemantic(release)
	}
	return version.ParseGeneric(of)
}
