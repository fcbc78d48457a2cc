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
	"strings"

	"github.com/dra-conformance/dratest/clusters"
)

// Version is a Kubernetes release buildable from its Go module.
type Version struct {
	// Kubernetes is the release as "v1.37.1".
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

// All returns the known versions, newest first.
func All() []Version { return slices.Clone(table) }

// Newest returns the newest known version.
func Newest() Version { return table[0] }

// Lookup finds a version by "v1.37.1", "1.37.1", "v1.37" or "1.37". The error
// wraps clusters.ErrUnknownVersion and lists the known versions.
func Lookup(v string) (Version, error) {
	want := "v" + strings.TrimPrefix(v, "v")
	for _, known := range table {
		if want == known.Kubernetes || want == known.Minor() {
			return known, nil
		}
	}
	names := make([]string, 0, len(table))
	for _, known := range table {
		names = append(names, known.Kubernetes)
	}
	return Version{}, fmt.Errorf("%w %q: known are %s", clusters.ErrUnknownVersion, v, strings.Join(names, ", "))
}

// Minor returns the version without its patch level, as "v1.37".
func (v Version) Minor() string { return v.Kubernetes[:strings.LastIndex(v.Kubernetes, ".")] }
