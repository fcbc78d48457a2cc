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

package metadata

import (
	"strings"

	"github.com/onsi/ginkgo/v2"

	"github.com/dra-conformance/dratest/framework/harness"
)

// ReadFile returns a file of a container, and whether it exists.
func ReadFile(t *harness.T, pod, container, path string) (content string, found bool) {
	ginkgo.GinkgoHelper()
	t.Step("read %s in container %s of pod %s", path, container, pod)
	return strings.CutPrefix(t.Exec(pod, container, readFile, path), "there\n")
}

// CanWrite is whether a container can append a line to a file.
func CanWrite(t *harness.T, pod, container, path string) bool {
	ginkgo.GinkgoHelper()
	t.Step("try to write %s in container %s of pod %s", path, container, pod)
	return t.Exec(pod, container, canWrite, path) != ""
}

// Only shell builtins: images of vendors may have no cat.
const (
	readFile = `[ -f "$1" ] || exit 0
echo there
while IFS= read -r line || [ -n "$line" ]; do printf '%s\n' "$line"; done <"$1"`
	canWrite = `(echo written >>"$1") 2>/dev/null && echo written
true`
)
