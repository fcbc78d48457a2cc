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

package path

import (
	"cmp"
	"fmt"

	"k8s.io/apimachinery/pkg/util/version"
)

// Version is a release of Kubernetes 1: {36, 4} is v1.36.4.
type Version struct{ Minor, Patch uint }

// ParseVersion reads "v1.36.4" and "1.36.4".
func ParseVersion(text string) (Version, error) {
	v, err := version.ParseSemantic(text)
	if err != nil {
		return Version{}, fmt.Errorf("read Kubernetes version %q: %w", text, err)
	}
	if v.Major() != 1 || v.PreRelease() != "" {
		return Version{}, fmt.Errorf("read Kubernetes version %q: it is no release of Kubernetes 1", text)
	}
	return Version{v.Minor(), v.Patch()}, nil
}

// String is "v1.36.4".
func (v Version) String() string { return fmt.Sprintf("v1.%d.%d", v.Minor, v.Patch) }

// MarshalText makes JSON of it as String.
func (v Version) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText is ParseVersion.
func (v *Version) UnmarshalText(text []byte) (err error) {
	*v, err = ParseVersion(string(text))
	return err
}

// Compare is negative if v is older than w, positive if it is newer.
func (v Version) Compare(w Version) int {
	return cmp.Or(cmp.Compare(v.Minor, w.Minor), cmp.Compare(v.Patch, w.Patch))
}

// behind is by how many minor versions v is older than w; negative if newer.
func (v Version) behind(w Version) int { return int(w.Minor) - int(v.Minor) } //nolint:gosec // minors are small
