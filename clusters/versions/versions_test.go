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

package versions_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/kind/pkg/apis/config/defaults"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/versions"
	"github.com/dra-conformance/dratest/framework/issues"
)

func TestLookup(t *testing.T) {
	newest := versions.Newest()
	for _, tc := range []struct{ in, want string }{
		{newest.Kubernetes, newest.Kubernetes},
		{strings.TrimPrefix(newest.Kubernetes, "v"), newest.Kubernetes},
		{newest.Minor(), newest.Kubernetes},
		{strings.TrimPrefix(newest.Minor(), "v"), newest.Kubernetes},
		{"v1.36.4", "v1.36.4"},
		{"", ""},
		{"v1.3", ""},
		{"v1.37.99", "v1.37.99"},
		{"1.38.0-beta.0", "v1.38.0-beta.0"},
		{"v1.38.0-beta.0+1a2b3c4d", "v1.38.0-beta.0+1a2b3c4d"},
		{"v1.38", ""}, // no release yet
		{"v1.39.0", ""},
		{"v1.33.9", ""},
		{"v2.38.0", ""},
		{"v1.38.0-", ""},
		{"vv1.37", ""},
		{"v1", ""},
		{"latest", ""},
	} {
		got, err := versions.Lookup(tc.in)
		if got.Kubernetes != tc.want {
			t.Errorf("Lookup(%q) = %q, want %q", tc.in, got.Kubernetes, tc.want)
		}
		if unknown := errors.Is(err, clusters.ErrUnknownVersion); unknown != (tc.want == "") {
			t.Errorf("Lookup(%q): error %v", tc.in, err)
		}
	}
}

func TestUnknownVersionListsTheKnownOnes(t *testing.T) {
	_, err := versions.Lookup("v1.38")
	for _, v := range versions.All() {
		if err == nil || !strings.Contains(err.Error(), v.Kubernetes) {
			t.Errorf("error %q does not name %s", err, v.Kubernetes)
		}
	}
}

func TestVersionsBeyondTheSupportedOnes(t *testing.T) {
	oldest, newest := versions.Supported()
	for _, v := range []string{"v1.99.0", "v1.3.0", "v1.99.0-alpha.1"} {
		if _, err := versions.Lookup(v); err == nil || !strings.Contains(err.Error(), "supports Kubernetes "+oldest+" to "+newest) {
			t.Errorf("%s: %v", v, err)
		}
	}
}

func TestMinorOfAPrerelease(t *testing.T) {
	v, err := versions.Lookup("v1.38.0-beta.0+1a2b3c4d")
	if err != nil || v.Minor() != "v1.38" || v.Listed() || !versions.Newest().Listed() {
		t.Errorf("%v: minor %s, listed %t, %v", v, v.Minor(), v.Listed(), err)
	}
}

// A version is listed once all known issues have been reviewed for it.
func TestKnownIssuesAreReviewedForTheNewest(t *testing.T) {
	for _, k := range issues.All() {
		if _, unreviewed, err := k.Standing(versions.Newest().Kubernetes); unreviewed != "" || err != nil {
			t.Errorf("known issue %s: %s, %v: run dratest known-issues review --version %s", k.ID, unreviewed, err, versions.Newest().Kubernetes)
		}
	}
}

func TestTableIsCompleteAndSorted(t *testing.T) {
	previous := ""
	for _, v := range versions.All() {
		if v.Pause == "" || v.Etcd == "" {
			t.Errorf("%s: a tag is missing: %+v", v.Kubernetes, v)
		}
		if (v.Published == "") != (v.Digest == "") || v.Published != "" && !strings.HasPrefix(v.Published, v.Minor()+".") {
			t.Errorf("%s: published as %q with digest %q", v.Kubernetes, v.Published, v.Digest)
		}
		ref, newest := "kindest/node:"+v.Published+"@"+v.Digest, defaults.Image
		if strings.HasPrefix(newest, "kindest/node:"+v.Minor()+".") && ref != newest {
			t.Errorf("%s: the published image is %s, that of the kind version in go.mod is %s", v.Kubernetes, ref, newest)
		}
		if _, err := time.Parse(time.RFC3339, v.Built); err != nil {
			t.Errorf("%s: %v", v.Kubernetes, err)
		}
		if previous != "" && v.Minor() >= previous {
			t.Errorf("%s is not older than %s", v.Kubernetes, previous)
		}
		previous = v.Minor()
	}
	if versions.Newest() != versions.All()[0] {
		t.Errorf("newest is %v", versions.Newest())
	}
}
