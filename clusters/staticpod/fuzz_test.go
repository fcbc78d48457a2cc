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

package staticpod

import (
	"slices"
	"testing"
)

// FuzzManifest checks that a manifest of a node's static pod is restored after a change, however it looked before.
func FuzzManifest(f *testing.F) {
	f.Add([]byte("apiVersion: v1\nkind: Pod\nmetadata: {name: kube-scheduler}\nspec: {containers: [{name: c, image: i, command: [kube-scheduler, --v=2]}]}\n"))
	f.Add([]byte("metadata: {annotations: {" + stockAnnotation + ": '{\"image\":\"i\",\"command\":null}'}}\nspec: {containers: [{command: [a, --b=" + ourFiles + "c]}]}\n"))
	f.Add([]byte("metadata: {annotations: {" + stockAnnotation + ": 'null'}}\nspec: {containers: [null]}\n"))
	f.Fuzz(func(t *testing.T, manifest []byte) {
		original, err := Original(manifest)
		if err != nil {
			return
		}
		if changed, err := Changed(original); err != nil || changed {
			t.Errorf("the original is changed: %v, %v", changed, err)
		}
		want, err := decode(original)
		if err != nil {
			t.Fatal(err)
		}
		substitute, err := Substitute(manifest, "other", []string{"--other=1"})
		if err != nil {
			return // it has the flag
		}
		if args, err := Args(substitute, []string{"--other"}); err != nil || !slices.Equal(args, []string{"--other=1"}) {
			t.Errorf("%q, %v", args, err)
		}
		restored, err := Original(substitute)
		if err != nil {
			t.Fatal(err)
		}
		got, err := decode(restored)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := want.Spec.Containers[0], got.Spec.Containers[0]; a.Image != b.Image || !slices.Equal(a.Command, b.Command) {
			t.Errorf("%+v, restored %+v", a, b)
		}
	})
}

// FuzzParseMetrics checks that no metrics text hides a feature gate appended to it.
func FuzzParseMetrics(f *testing.F) {
	f.Add("kubernetes_build_info{git_version=\"v1.37.1\"} 1\nkubernetes_feature_enabled{name=\"DRAFoo\",stage=\"\"} 1\n")
	f.Add("kubernetes_feature_enabled{name=\"\n kubernetes_build_info{")
	f.Fuzz(func(t *testing.T, text string) {
		m := ParseMetrics(text)
		if more := ParseMetrics(text + "\nkubernetes_feature_enabled{name=\"Fuzz\"} 1\n"); !more.Gates["Fuzz"] || more.Version != m.Version {
			t.Errorf("%+v, with one more gate %+v", m, more)
		}
	})
}
