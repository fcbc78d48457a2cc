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
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// manifest is like kubeadm's.
func manifest(t *testing.T, image string, args ...string) []byte {
	t.Helper()
	text := "apiVersion: v1\nkind: Pod\nmetadata:\n  labels:\n    component: kube-scheduler\n  name: kube-scheduler\n  namespace: kube-system\n" +
		"spec:\n  containers:\n  - command:\n    - kube-scheduler\n"
	for _, arg := range args {
		text += "    - " + arg + "\n"
	}
	return []byte(text + "    image: " + image + "\n    name: kube-scheduler\n    resources: {}\n  hostNetwork: true\nstatus: {}\n")
}

func TestSubstituteAndBack(t *testing.T) {
	original := manifest(t, "stock:1", "--v=5")
	first, err := Substitute(original, "own:1", []string{"--config=/a"})
	if err != nil {
		t.Fatal(err)
	}
	second, err := Substitute(first, "own:2", []string{"--config=/b"})
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		got     []byte
		image   string
		command []string
	}{
		"once":  {first, "own:1", []string{"kube-scheduler", "--v=5", "--config=/a"}},
		"twice": {second, "own:2", []string{"kube-scheduler", "--v=5", "--config=/b"}},
	} {
		pod, err := decode(tc.got)
		if err != nil {
			t.Fatal(err)
		}
		if c := pod.Spec.Containers[0]; c.Image != tc.image || !cmp.Equal(c.Command, tc.command) {
			t.Errorf("%s: %s %v", name, c.Image, c.Command)
		}
		if ok, err := Changed(tc.got); err != nil || !ok {
			t.Errorf("%s: substituted %t, %v", name, ok, err)
		}
		back, err := Original(tc.got)
		if diff := cmp.Diff(string(original), string(back)); err != nil || diff != "" {
			t.Errorf("%s: %v, not what it was: %s", name, err, diff)
		}
	}
	if ok, err := Changed(original); err != nil || ok {
		t.Errorf("the original is substituted: %t, %v", ok, err)
	}
	if untouched, err := Original(original); err != nil || string(untouched) != string(original) {
		t.Errorf("%v: changed what was original: %s", err, untouched)
	}
}

func TestSubstituteRefuses(t *testing.T) {
	for name, tc := range map[string]struct {
		manifest []byte
		message  string
	}{
		"an argument that is there": {manifest(t, "stock:1", "--config=/mine"), "--config=/mine already"},
		"what is no pod":            {[]byte("nonsense: true\n"), "nonsense"},
		"several containers":        {[]byte("spec:\n  containers:\n  - name: a\n  - name: b\n"), "2 containers"},
		"a broken memory":           {[]byte("metadata: {annotations: {dra-conformance.github.io/stock: '{'}}\nspec: {containers: [{}]}\n"), "ran before"},
	} {
		if _, err := Substitute(tc.manifest, "own:1", []string{"--config=/a"}); err == nil || !strings.Contains(err.Error(), tc.message) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A scheduler of dratest's clusters has a configuration file. A substitute's file replaces it until the substitute is
// removed.
func TestSubstituteReplacesOurOwnFile(t *testing.T) {
	original := manifest(t, "stock:1", "--config=/etc/dratest/scheduler.yaml", "--v=5")
	changed, err := Substitute(original, "own:1", []string{"--config=/a"})
	if err != nil {
		t.Fatal(err)
	}
	pod, err := decode(changed)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"kube-scheduler", "--v=5", "--config=/a"}, pod.Spec.Containers[0].Command); d != "" {
		t.Error(d)
	}
	back, err := Original(changed)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(original), string(back)); d != "" {
		t.Error(d)
	}
}

func TestSwitchOffAndBack(t *testing.T) {
	off := []string{"resourceclaim-controller", "device-taint-eviction-controller"}
	for name, tc := range map[string]struct{ args, want []string }{
		"some are named": {[]string{"--controllers=*,tokencleaner", "--v=4"}, []string{"kube-scheduler", "--controllers=*,tokencleaner,-resourceclaim-controller,-device-taint-eviction-controller", "--v=4"}},
		"none are named": {[]string{"--v=4"}, []string{"kube-scheduler", "--v=4", "--controllers=*,-resourceclaim-controller,-device-taint-eviction-controller"}},
	} {
		original := manifest(t, "stock:1", tc.args...)
		changed, err := SwitchOff(original, off)
		if err != nil {
			t.Fatal(err)
		}
		again, err := SwitchOff(changed, off)
		if d := cmp.Diff(string(changed), string(again)); err != nil || d != "" {
			t.Errorf("%s: twice is not once: %v, %s", name, err, d)
		}
		pod, err := decode(changed)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(tc.want, pod.Spec.Containers[0].Command); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		back, err := Original(changed)
		if d := cmp.Diff(string(original), string(back)); err != nil || d != "" {
			t.Errorf("%s: %v, not what it was: %s", name, err, d)
		}
	}
}
