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

package harness

import (
	"testing"

	"github.com/dra-conformance/dratest/framework/spec"
)

// A case whose companion program is missing says nothing about Kubernetes.
func TestMissingCompanionBlocks(t *testing.T) {
	f := newFake(t)
	f.env.Companions = map[spec.Companion]any{"present": "client"}
	succeeds(t, f, func() {
		if got := f.Companion("present"); got != "client" {
			t.Errorf("got companion %v", got)
		}
	})

	if failureOf(func() { f.Companion("absent") }) == nil {
		t.Error("the case goes on")
	}
	if f.blocked == "" {
		t.Error("the case is not blocked")
	}
}
