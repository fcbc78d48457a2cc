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

	"github.com/dra-conformance/dratest/drivers/declarations"
	"github.com/dra-conformance/dratest/framework/spec"
)

// FuzzParse checks that a declaration's problems have a text that is safe for terminals.
func FuzzParse(f *testing.F) {
	f.Add([]byte(good))
	f.Add([]byte("classes: {a: [b"))
	f.Add([]byte("classes: &a [{name: \"\\e[2J\"}]\nworkload: {template: *a}\n---\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := declarations.Parse(data); err != nil && (err.Error() == "" || spec.Printable(err.Error()) != err.Error()) {
			t.Errorf("error %q", err)
		}
	})
}

// FuzzParsePodTemplate checks that a template is accepted for agents if it is accepted for cases.
func FuzzParsePodTemplate(f *testing.F) {
	f.Add([]byte("tolerations: [{operator: Exists}]\ncontainers: [{name: " + spec.EachContainer + ", securityContext: {}}]\n"))
	f.Add([]byte("containers: [null]\nresources: {}\n1: 2\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := declarations.ParsePodTemplate(data, false); err == nil {
			if _, err := declarations.ParsePodTemplate(data, true); err != nil {
				t.Error(err)
			}
		}
	})
}
