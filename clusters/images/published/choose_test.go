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

package published_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/images/published"
	"github.com/dra-conformance/dratest/clusters/versions"
)

func TestChoose(t *testing.T) {
	one, two := published.Image{Ref: "r/kindest/node:v1.99.0", Version: "v1.99.0"}, published.Image{Ref: "r/kindest/node:v1.99.1", Version: "v1.99.1"}
	both := []published.Image{one, two}
	for _, tc := range []struct {
		name   string
		facts  published.Facts
		ask    bool
		take   []published.Image
		reason string
	}{
		{"build", published.Facts{Source: clusters.SourceBuild, Here: &one}, false, nil, "as asked for"},
		{"registry", published.Facts{Source: clusters.SourceRegistry, Variant: "v", Built: true}, true, nil, ""},
		{"registry, found", published.Facts{Source: clusters.SourceRegistry, Variant: "v", Built: true, Asked: true, Found: &two}, false, both[1:], "a registry has it"},
		{"registry, not found", published.Facts{Source: clusters.SourceRegistry, Asked: true, Why: errors.New("no registry answers")}, false, both, "as asked for, although no registry answers"},
		{"registry, pulled", published.Facts{Source: clusters.SourceRegistry, Here: &two}, false, both[1:], "pulled already"},
		{"variant", published.Facts{Variant: "this machine lacks x", Here: &one}, false, nil, "this machine lacks x"},
		{"pulled", published.Facts{Here: &one, Built: true}, false, both[:1], "pulled already"},
		{"built", published.Facts{Built: true}, false, nil, "built already"},
		{"nothing known", published.Facts{Source: clusters.SourceAuto}, true, nil, ""},
		{"found", published.Facts{Asked: true, Found: &two}, false, both[1:], "a registry has it"},
		{"not found", published.Facts{Asked: true, Why: errors.New("no registry answers")}, false, nil, "no registry answers"},
	} {
		tc.facts.Images = both
		got := published.Choose(tc.facts)
		if got.Ask != tc.ask || !slices.Equal(got.Take, tc.take) || !strings.Contains(got.Reason, tc.reason) || (got.Reason == "") != tc.ask {
			t.Errorf("%s: got %+v", tc.name, got)
		}
	}
}

// An image without a name was pulled for a checkout.
func TestChooseOfACheckout(t *testing.T) {
	v := versions.Version{Kubernetes: "v1.99.0-beta.0+1a2b3c4d"}
	images := published.Images(v, true, clusters.DefaultRegistry)
	for _, source := range []clusters.NodeImageSource{clusters.SourceAuto, clusters.SourceRegistry} {
		if got := published.Choose(published.Facts{Source: source, Images: images}); got.Ask || len(got.Take) > 0 || !strings.Contains(got.Reason, "checkouts") {
			t.Errorf("%q: got %+v", source, got)
		}
	}
}

func TestImages(t *testing.T) {
	v := versions.Version{Kubernetes: "v1.99.1", Published: "v1.99.0", Digest: "sha256:0"}
	same, unknown := v, v
	same.Published, unknown.Published, unknown.Digest = v.Kubernetes, "", ""
	for _, tc := range []struct {
		name     string
		version  versions.Version
		exact    bool
		registry string
		want     []string
	}{
		{"another patch level", v, false, clusters.DefaultRegistry, []string{"docker.io/kindest/node:v1.99.0@sha256:0", "docker.io/kindest/node:v1.99.1"}},
		{"exactly", v, true, clusters.DefaultRegistry, []string{"docker.io/kindest/node:v1.99.1"}},
		{"exactly the published one", same, true, clusters.DefaultRegistry, []string{"docker.io/kindest/node:v1.99.1@sha256:0"}},
		{"not in the table", unknown, false, clusters.DefaultRegistry, []string{"docker.io/kindest/node:v1.99.1"}},
		{"own registry", same, false, "r/x", []string{"r/x/kindest/node:v1.99.1@sha256:0", "r/x/kindest/node:v1.99.1"}},
	} {
		var got []string
		for _, image := range published.Images(tc.version, tc.exact, tc.registry) {
			got = append(got, image.Ref)
			if pinned := strings.Contains(image.Ref, "@"); pinned != image.Pinned || pinned == strings.Contains(image.String(), "not pinned") {
				t.Errorf("%s: %+v, %s", tc.name, image, image)
			}
		}
		if !slices.Equal(got, tc.want) {
			t.Errorf("%s: got %q", tc.name, got)
		}
	}
}
