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
	"fmt"
	"strings"

	"golang.org/x/mod/semver"
	"k8s.io/apimachinery/pkg/util/version"
)

// Version is a version of Kubernetes 1: {36, 4, ""} is v1.36.4, {38, 0, "-beta.0"} is v1.38.0-beta.0.
type Version struct {
	Minor, Patch uint
	// Suffix is the prerelease and the build metadata, with their "-" and "+".
	Suffix string
}

// ParseVersion reads "v1.36.4", "1.36.4" and "v1.38.0-beta.0+1a2b3c4d".
func ParseVersion(text string) (Version, error) {
	v, err := version.ParseSemantic(text)
	if err != nil {
		return Version{}, fmt.Errorf("read Kubernetes version %q: %w", text, err)
	}
	if v.Major() != 1 {
		return Version{}, fmt.Errorf("read Kubernetes version %q: it is not Kubernetes 1", text)
	}
	full := "v" + strings.TrimPrefix(text, "v")
	return Version{v.Minor(), v.Patch(), semver.Prerelease(full) + semver.Build(full)}, nil
}

// String is "v1.36.4".
func (v Version) String() string { return fmt.Sprintf("v1.%d.%d%s", v.Minor, v.Patch, v.Suffix) }

// MarshalText makes JSON of it as String.
func (v Version) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText is ParseVersion.
func (v *Version) UnmarshalText(text []byte) (err error) {
	*v, err = ParseVersion(string(text))
	return err
}

// Compare is negative if v is older than w, positive if it is newer.
func (v Version) Compare(w Version) int { return semver.Compare(v.String(), w.String()) }

// behind is by how many minor versions v is older than w; negative if newer.
func (v Version) behind(w Version) int { return int(w.Minor) - int(v.Minor) } //nolint:gosec // minors are small
