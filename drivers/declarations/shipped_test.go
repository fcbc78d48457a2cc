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

package declarations_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/dra-conformance/dratest/drivers/declarations"
)

func TestShippedDriversAreDeclaredRightly(t *testing.T) {
	names := declarations.ShippedNames()
	if len(names) != 2 {
		t.Errorf("shipped: %v", names)
	}
	for _, name := range names {
		d, err := declarations.Shipped(name)
		if err != nil {
			t.Error(err)
		}
		if err := yaml.Unmarshal(d.Manifests[:1], new(any)); err != nil || d.Declaration.Deploy.DaemonSet == "" {
			t.Errorf("%s: %v, DaemonSet %q", name, err, d.Declaration.Deploy.DaemonSet)
		}
	}
	if _, err := declarations.Shipped("nothing"); err == nil {
		t.Error("a driver that is not there was found")
	}
}

func TestDeclarationsSurviveEncoding(t *testing.T) {
	for _, name := range declarations.ShippedNames() {
		d, err := declarations.Shipped(name)
		if err != nil {
			t.Fatal(err)
		}
		data, err := declarations.Encode(d.Declaration)
		if err != nil {
			t.Fatal(err)
		}
		got, err := declarations.Parse(data)
		if diff := cmp.Diff(d.Declaration, got); err != nil || diff != "" {
			t.Errorf("%s: %v: want -, got +:\n%s", name, err, diff)
		}
	}
}
