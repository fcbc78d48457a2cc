package versions

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dra-conformance/dratest/clusters"
)

// Version is one Kubernetes release that can be built from its Go module.
type Version struct {
	// Kubernetes is the release as "v1.37.1".
	Kubernetes string
	// Pause is the tag of registry.k8s.io/pause that kubeadm of this release
	// names.
	Pause string
	// Etcd is the tag of registry.k8s.io/etcd that kubeadm of this release asks
	// for. One etcd build serves all tags: it is newer than each of them.
	Etcd string
	// Built is what the binaries report as their build date. It is when the Go
	// module was published, so that a build yields the same bytes on every day.
	Built string
	// Published is the release of this minor version that kind has published a node
	// image of, and Digest that image's digest: both from the release notes of the
	// kind version that go.mod requires. The patch level may be another one. Empty
	// where nothing is known to be published.
	Published, Digest string
}

// How a version is added is said in clusters/images/adr/0001.
//
//nolint:gochecknoglobals // a table
var table = []Version{ // newest first
	{Kubernetes: "v1.37.1", Pause: "3.10.2", Etcd: "3.7.0-0", Built: "2026-09-23T17:06:22Z",
		Published: "v1.37.0", Digest: "sha256:a1ed56cfb0e7b93589bdf97c8cd566405a265939e3620fc4f5de89adff580ae5"},
	{Kubernetes: "v1.36.4", Pause: "3.10.2", Etcd: "3.6.8-0", Built: "2026-08-20T11:51:43Z",
		Published: "v1.36.4", Digest: "sha256:099e049362a1526b2db71494e1947aae99bd16290d7c895f2b7ea312e3cbfaed"},
	{Kubernetes: "v1.35.8", Pause: "3.10.1", Etcd: "3.6.6-0", Built: "2026-08-20T15:16:14Z",
		Published: "v1.35.8", Digest: "sha256:07b2536e30b803ed61d1677a79df6115f798ce64c80f9e22f6ed45afd09323c0"},
	{Kubernetes: "v1.34.4", Pause: "3.10.1", Etcd: "3.6.5-0", Built: "2026-02-10T12:53:36Z",
		Published: "v1.34.11", Digest: "sha256:44e222ee2132dab25ff87301682f89eb82c7880ea3a1bf543bfe9708fd08d67d"},
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
