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

package dratest_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// Where Pod Security is enforced, pods in a namespace without its label were rejected: certify's trial, sanity, soak and
// upgrade could not start.
func TestNamespacesHavePodSecurityLabels(t *testing.T) {
	allowed := []string{
		"framework/spec/labels.go",
		"framework/run/job/manifests.go",        // the Job meets the restricted level
		"framework/harness/harnesstest/case.go", // objects in memory
	}
	for _, f := range goFiles(t) {
		if strings.HasPrefix(f.name, "implementation/") || strings.HasSuffix(f.name, "_test.go") || slices.Contains(allowed, f.name) {
			continue
		}
		if bytes.Contains(f.content, []byte("corev1.Namespace{")) {
			t.Errorf("%s makes a namespace: use spec.Namespace", f.name)
		}
	}
}
