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

package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

func TestDefinitions(t *testing.T) {
	var out bytes.Buffer
	if err := printDefinitions(&out); err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for documents := utilyaml.NewYAMLReader(bufio.NewReader(&out)); ; {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		var object metav1.TypeMeta
		if err := yaml.Unmarshal(document, &object); err != nil {
			t.Fatal(err)
		}
		if object.Kind != "" {
			kinds = append(kinds, object.Kind)
		}
	}
	slices.Sort(kinds)
	want := []string{"CustomResourceDefinition", "CustomResourceDefinition", "CustomResourceDefinition",
		"ValidatingAdmissionPolicy", "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding", "ValidatingAdmissionPolicyBinding"}
	if !slices.Equal(kinds, want) {
		t.Errorf("got %q, want %q", kinds, want)
	}
}
