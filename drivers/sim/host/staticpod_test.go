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

package host

import (
	"os"
	"path/filepath"
	"testing"
)

func TestStaticPodComesAndGoes(t *testing.T) {
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "manifests"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "manifests", "etcd.json"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := PutStaticPod(root, "/manifests", "dratest-a", []byte("{}")); err != nil {
		t.Fatal(err)
	}
	if content, err := os.ReadFile(filepath.Join(root, "manifests", "dratest-a.json")); string(content) != "{}" {
		t.Errorf("got %q, %v", content, err)
	}
	for range 2 {
		if err := RemoveStaticPod(root, "/manifests", "dratest-a"); err != nil {
			t.Error(err)
		}
	}
	if left, _ := os.ReadDir(filepath.Join(root, "manifests")); len(left) != 1 {
		t.Errorf("left: %v", left)
	}
	for _, bad := range [][2]string{{"/manifests", "etcd"}, {"/manifests", "dratest-/../etcd"}, {"manifests", "dratest-a"}} {
		if err := PutStaticPod(root, bad[0], bad[1], nil); err == nil {
			t.Errorf("%v is written", bad)
		}
		if err := RemoveStaticPod(root, bad[0], bad[1]); err == nil {
			t.Errorf("%v is removed", bad)
		}
	}
}
