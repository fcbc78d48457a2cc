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

package images

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/images/modules"
	"github.com/dra-conformance/dratest/clusters/images/source"
	"github.com/dra-conformance/dratest/clusters/versions"
)

const someKey = "0123456789abcdef0123"

func TestProgramsComeFromTheirOrigins(t *testing.T) {
	v := versions.Version{Kubernetes: "v1.99.0"}
	checkout := source.Source{Dir: "/all", Key: someKey, Version: versions.Version{Kubernetes: "v1.99.0-alpha.1+01234567"}}
	unversioned := source.Source{Dir: "/one", Key: someKey}
	reports := func(b modules.Binary, version string) bool {
		return slices.ContainsFunc(b.Values, func(v string) bool { return strings.HasSuffix(v, "component-base/version.gitVersion="+version) })
	}
	for _, tc := range []struct {
		name, program string
		from          origins
		dir, reports  string
	}{
		{"embedded", "kubelet", origins{}, "", "v1.99.0"},
		{"release", "kubelet", origins{source: source.Source{Mod: []byte("m")}}, "", "v1.99.0"},
		{"checkout", "kubelet", origins{source: checkout}, "/all", "v1.99.0"},
		{"component", "kubelet", origins{components: map[string]source.Source{"kubelet": unversioned}}, "/one", "v1.99.0+01234567"},
		{"component with a version", "kubelet", origins{components: map[string]source.Source{"kubelet": checkout}}, "/all", "v1.99.0-alpha.1+01234567"},
		{"other component", "kubeadm", origins{components: map[string]source.Source{"kubelet": checkout}}, "", "v1.99.0"},
		{"component of another checkout", "kubelet", origins{source: checkout, components: map[string]source.Source{"kubelet": unversioned}}, "/one", "v1.99.0+01234567"},
	} {
		b := tc.from.program(v, tc.program)
		if b.Checkout != tc.dir || !reports(b, tc.reports) || (b.Mod != nil) != (tc.from.source.Mod != nil) {
			t.Errorf("%s: %+v", tc.name, b)
		}
	}
}

// Images with replaced components must not pass for the version's own: clusters of the version use the image tagged
// with it.
func TestTagsOfImagesOfOtherOrigins(t *testing.T) {
	v := versions.Version{Kubernetes: "v1.99.0+01234567"}
	if got := (origins{}).tag(v); got != "v1.99.0_01234567" {
		t.Errorf("checkout: %s", got)
	}
	one := origins{components: map[string]source.Source{"kubelet": {Key: someKey}, "kubeadm": {Key: someKey}}}
	if got := one.tag(versions.Version{Kubernetes: "v1.99.0"}); got != "v1.99.0-kubeadm-01234567-kubelet-01234567" {
		t.Errorf("components: %s", got)
	}
	if got := kubernetesImage(v, "kube-proxy"); got != "registry.k8s.io/kube-proxy:v1.99.0_01234567" {
		t.Errorf("image: %s", got)
	}
}

func TestValidateNamesAllProblems(t *testing.T) {
	err := Options{Components: map[string]string{"etcd": ".", "kubelet": "", "kubeadm": "."}}.Validate()
	want := `component: unknown "etcd", known are ` + strings.Join(source.Programs(), ", ") + "\ncomponent: kubelet has no directory: give it as kubelet=DIR"
	if err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
}

func TestOriginsThatAreNone(t *testing.T) {
	for name, tc := range map[string]struct {
		options Options
		want    error
		message string
	}{
		"neither directory nor version": {Options{Source: "1.38"}, clusters.ErrUnknownVersion, "or the directory of a checkout"},
		"other directory":               {Options{Source: t.TempDir()}, clusters.ErrEnvironment, "not the root of a checkout"},
		"component of nothing":          {Options{Components: map[string]string{"kubelet": t.TempDir()}}, clusters.ErrEnvironment, "not the root of a checkout"},
	} {
		tc.options.Cache = t.TempDir()
		if _, err := Node(t.Context(), tc.options); !errors.Is(err, tc.want) || !strings.Contains(err.Error(), tc.message) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
