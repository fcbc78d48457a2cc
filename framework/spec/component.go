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
	"fmt"
	"slices"
	"strings"
)

// Provenance is the origin of a component.
type Provenance string

// Provenances of components.
const (
	Stock Provenance = "stock" // Kubernetes' own
	Own   Provenance = "own"   // this project's (the module in implementation/)
	Other Provenance = "other" // somebody else's
	None  Provenance = "none"  // not running, such as after an interrupted switch
)

// Basis is the evidence for a component's provenance.
type Basis string

// The bases, from the best to the weakest.
const (
	// Proven: the digest of its image or program equals one built on the machine running dratest.
	Proven Basis = "proven"
	// Declared: the user of dratest has said so.
	Declared Basis = "declared"
	// Claimed: only its name and version indicate it, which anybody can write. A component of Other with this basis is a
	// distribution's build of a release: its version has a suffix.
	Claimed Basis = "claimed"
)

// Component is a running component: one replica, or the kubelet of one node.
type Component struct {
	// Name is its name in a Stack.
	Name string `json:"name"`
	// Program is its program, as "kube-scheduler"; Node is its node, if known.
	Program string     `json:"program,omitempty"`
	Node    string     `json:"node,omitempty"`
	Whose   Provenance `json:"whose"`
	// Basis is empty for components of others, unless their version is a release with a
	// distribution's suffix.
	Basis   Basis  `json:"basis,omitempty"`
	Version string `json:"version,omitempty"`
	// Image is empty for programs running on the node itself.
	Image string `json:"image,omitempty"`
	// Digest is the digest of the image's configuration or manifest, as reported by the container runtime, or of the
	// program; empty if unknown.
	Digest string `json:"digest,omitempty"`
	// Why is the reason why it is not Stock, or not proven.
	Why string `json:"why,omitempty"`
}

// String is the program and its version, as "kube-scheduler v1.37.1".
func (c Component) String() string { return strings.TrimSpace(c.Program + " " + c.Version) }

// Judge sets Whose, Basis and Why from the version of a component with Kubernetes' own name: a distribution's suffix
// makes it Other, Claimed to be a build of the release; a version without a release makes it Other.
func (c Component) Judge() Component {
	release, ok := ReleaseOf(c.Version)
	switch {
	case !ok:
		c.Whose, c.Basis, c.Why = Other, "", fmt.Sprintf("its version is %q, which is not a release of Kubernetes", c.Version)
	case release != c.Version:
		c.Whose, c.Basis, c.Why = Other, Claimed, fmt.Sprintf("its version %q names a distribution's build of %s", c.Version, release)
	default:
		c.Whose = Stock
	}
	return c
}

// Artifact is a released Kubernetes program in a version.
type Artifact struct{ Program, Version string }

// Digests are the digests of artifacts, as "sha256:0123…": all those a container runtime may report for an image.
type Digests map[Artifact][]string

// ComponentsOf are the components of a name.
func (t Target) ComponentsOf(name string) []Component {
	return slices.DeleteFunc(slices.Clone(t.Running), func(c Component) bool { return c.Name != name })
}

// StackOf returns the provenance of the components by name, as {"scheduler": "stock", "kubelet": "own on worker2"}.
func StackOf(running []Component) map[string]string {
	all := map[string][]Component{}
	for _, c := range running {
		all[c.Name] = append(all[c.Name], c)
	}
	stack := map[string]string{}
	for name, of := range all {
		var parts []string
		for _, whose := range []Provenance{Own, Other} {
			var nodes []string
			for _, c := range of {
				if c.Whose == whose {
					nodes = append(nodes, c.Node)
				}
			}
			switch len(nodes) {
			case 0:
			case len(of):
				parts = []string{string(whose)}
			default:
				parts = append(parts, fmt.Sprintf("%s on %s", whose, strings.Join(nodes, ", ")))
			}
		}
		if len(parts) == 0 {
			parts = []string{string(Stock)}
		}
		stack[name] = strings.Join(parts, "; ")
	}
	return stack
}
