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

// CanWrite is whether a file of a container is mounted writable. Only root could write the file to find out, and Pod
// Security may forbid root.
func CanWrite(t *harness.T, pod, container, path string) bool {
	ginkgo.GinkgoHelper()
	t.Step("read the mounts of container %s of pod %s for %s", container, pod, path)
	return t.Exec(pod, container, canWrite, path, "/proc/self/mountinfo") != ""
}

// Only shell builtins: images of vendors may have no cat.
const (
	readFile = `[ -f "$1" ] || exit 0
echo there
while IFS= read -r line || [ -n "$line" ]; do printf '%s\n' "$line"; done <"$1"`
	// The last mount at or above the file counts.
	canWrite = `while read -r _ _ _ _ at options _; do
case "$1" in "$at" | "${at%/}"/*) last=$options ;; esac
done <"$2"
case ",$last," in *,ro,*) ;; *) echo writable ;; esac`
)
