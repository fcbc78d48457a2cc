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

package classicdra_test

import (
	"testing"

	"github.com/dra-conformance/dratest/framework/harness/classicdra"
)

func TestConfigurations(t *testing.T) {
	class := classicdra.ClassConfig("name").Opaque
	claim := classicdra.ClaimConfig(map[string]any{"allocationMode": "Immediate"}).Opaque
	for got, want := range map[string]string{
		string(class.Parameters.Raw): `{"apiVersion":"classic.dra-conformance.github.io/v1alpha1","kind":"ClassConfig","resourceClassName":"name"}`,
		string(claim.Parameters.Raw): `{"allocationMode":"Immediate","apiVersion":"classic.dra-conformance.github.io/v1alpha1","kind":"ClaimConfig"}`,
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
