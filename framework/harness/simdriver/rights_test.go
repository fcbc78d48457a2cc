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

package simdriver

import (
	"bytes"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/yaml"
)

// A soak's drivers have only the rights given by a vendor.
func TestDriversHaveTheRightsOfTheirManifest(t *testing.T) {
	manifest, err := os.ReadFile("../../../drivers/declarations/dra-sim/install.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, document := range bytes.Split(manifest, []byte("\n---\n")) {
		var role rbacv1.ClusterRole
		if err := yaml.Unmarshal(document, &role); err != nil {
			t.Fatal(err)
		}
		if role.Kind != "ClusterRole" {
			continue
		}
		if diff := cmp.Diff(role.Rules, Rules()); diff != "" {
			t.Error(diff)
		}
		return
	}
	t.Error("the manifest has no ClusterRole")
}
