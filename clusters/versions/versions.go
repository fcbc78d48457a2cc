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

package versions

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/dra-conformance/dratest/clusters"
)

// Version is a Kubernetes release buildable from its Go module or from a checkout.
type Version struct {
	// Kubernetes is the release as "v1.37.1", the prerelease as "v1.38.0-beta.0", or a checkout's version with its key as
	// build metadata.
	Kubernetes string
	// Pause is the tag of registry.k8s.io/pause in this release's kubeadm.
	Pause string
	// Etcd is the tag of registry.k8s.io/etcd in this release's kubeadm. One etcd build serves all tags: it is newer
	// than each of them.
	Etcd string
	// Built is the binaries' build date: the publication date of the Go module, for reproducible builds.
	Built string
	// Published is the release of this minor version with a node image published by kind, and Digest that image's
	// digest: both from the release notes of the kind version in go.mod. The patch level may differ. Empty if none is
	// known.
	Published, Digest string
}

// All returns the listed versions, newest first.
func All() []Version { return slices.Clone(table) }

// Newest returns the newest listed version.
func Newest() Version { return table[0] }

// Lookup finds a version. "v1.37" and "1.37" are the listed release of that minor version. A release, prerelease or
// build named in full, as "v1.38.0-beta.0" or "v1.38.0-beta.0+1a2b3c4d", need not be listed, but its minor version must
// be supported: then only Kubernetes is set. The error wraps clusters.ErrUnknownVersion and says which versions are known.
func Lookup(v string) (Version, error) {
	want := "v" + strings.TrimPrefix(v, "v")
	for _, known := range table {
		if want == known.Kubernetes || want == known.Minor() {
			return known, nil
		}
	}
	oldest, newest := Supported()
	unlisted := Version{Kubernetes: want}
	switch minor := semver.MajorMinor(want); {
	case semver.Canonical(want)+semver.Build(want) != want: // "v1.38" is valid, too
	case semver.Compare(minor, newest) > 0:
		return Version{}, fmt.Errorf("%w %q: this release of dratest supports Kubernetes %s to %s: take a newer release of dratest",
			clusters.ErrUnknownVersion, v, oldest, newest)
	case semver.Compare(minor, oldest) < 0:
		return Version{}, fmt.Errorf("%w %q: this release of dratest supports Kubernetes %s to %s",
			clusters.ErrUnknownVersion, v, oldest, newest)
	default:
		return unlisted, nil
	}
	names := make([]string, 0, len(table))
	for _, known := range table {
		names = append(names, known.Kubernetes)
	}
	return Version{}, fmt.Errorf("%w %q: listed are %s; name any other release or prerelease of %s to %s in full, as %s.0-rc.0, or the directory of a checkout",
		clusters.ErrUnknownVersion, v, strings.Join(names, ", "), oldest, newest, newest)
}

// Supported returns the oldest and the newest supported minor version, as "v1.37". The newest is the one after the
// table's, whose prereleases can be tested before it is listed.
func Supported() (oldest, newest string) {
	after := Newest().Minor()
	dot := strings.LastIndex(after, ".")
	n, _ := strconv.Atoi(after[dot+1:])
	return table[len(table)-1].Minor(), after[:dot+1] + strconv.Itoa(n+1)
}

// Compare is negative if v is older than w, positive if it is newer.
func (v Version) Compare(w Version) int { return semver.Compare(v.Kubernetes, w.Kubernetes) }

// Listed reports whether the version is in the table.
func (v Version) Listed() bool { return slices.Contains(table, v) }

// Minor returns the minor version, as "v1.37".
func (v Version) Minor() string { return semver.MajorMinor(v.Kubernetes) }
