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
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestIssuesIn(t *testing.T) {
	for text, want := range map[string][]string{
		"a/b#1, #2, kubernetes/kubernetes#3": {"a/b#1", "a/b#2", "kubernetes/kubernetes#3"},
		"KEP-4381, kubelet":                  nil,
	} {
		if diff := cmp.Diff(want, issuesIn(text)); diff != "" {
			t.Errorf("%s: -want +got:\n%s", text, diff)
		}
	}
}
