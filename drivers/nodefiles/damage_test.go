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

package nodefiles

import (
	"os"
	"path/filepath"
	"testing"
)

func TestDamageIsUndone(t *testing.T) {
	root := t.TempDir()
	read := func() string { data, _ := os.ReadFile(filepath.Join(root, "state")); return string(data) }
	for _, before := range []string{"", "claims"} {
		if before != "" {
			if err := os.WriteFile(filepath.Join(root, "state"), []byte(before), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := Damage(root, "/state"); err != nil || read() == before {
			t.Errorf("%q is not damaged: %q, %v", before, read(), err)
		}
		for range 2 {
			if err := Restore(root, "/state"); err != nil || read() != before {
				t.Errorf("%q is not restored: %q, %v", before, read(), err)
			}
		}
		if left, _ := filepath.Glob(filepath.Join(root, "*.dratest-*")); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
	}
}
