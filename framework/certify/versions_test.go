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

package certify_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/versions"
	"github.com/dra-conformance/dratest/framework/certify"
)

// find is as images.Local.Version: empty text is the newest version, other directories are checkouts.
func find(text string) (versions.Version, error) {
	switch {
	case text == "":
		return versions.Newest(), nil
	case strings.HasSuffix(text, "/k8s"):
		return versions.Version{Kubernetes: "v1.38.0-beta.0+1a2b3c4d"}, nil
	}
	return versions.Lookup(text)
}

func TestVersionRange(t *testing.T) {
	for text, want := range map[string]string{
		"1.36": "v1.36", "1.36..v1.38.0-beta.0": "v1.36 v1.37 v1.38", "1.34..1.36": "v1.34 v1.35 v1.36", "v1.35..v1.37, 1.37": "v1.35 v1.36 v1.37", "1.37,1.34": "v1.37 v1.34", "1.36..1.36": "v1.36",
		"../src/k8s, 1.36": "v1.38 v1.36", "./x/../k8s": "v1.38", "1.37../src/k8s": "v1.37 v1.38",
		"1.37..1.34": "--versions: 1.37 is newer than 1.34", "1.2": "1.2",
		// The newest version was certified for these.
		"": `a version is missing in ""`, "1.36..": "a version is missing", "..1.36": "a version is missing", "1.36,": "a version is missing",
	} {
		found, err := certify.VersionRange(text, find)
		if err != nil {
			if !strings.Contains(err.Error(), want) || strings.HasPrefix(want, "v") {
				t.Errorf("%q: %v, want %q", text, err, want)
			}
			if !errors.As(err, new(clusters.UsageError)) && !errors.Is(err, clusters.ErrUnknownVersion) {
				t.Errorf("%q: %v is no wrong usage", text, err)
			}
			continue
		}
		var minors []string
		for _, v := range found {
			minors = append(minors, v.Minor())
		}
		if d := cmp.Diff(want, strings.Join(minors, " ")); d != "" {
			t.Errorf("%q: %s", text, d)
		}
	}
}
