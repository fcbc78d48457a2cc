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
	"bytes"
	"errors"
	"strings"

	"github.com/onsi/ginkgo/v2"
)

// EndContainer ends a container with a script of package objects, from inside.
func (t *T) EndContainer(pod, container string) {
	ginkgo.GinkgoHelper()
	t.Step("end container %s of pod %s", container, pod)
	// Later, because the container ends with all its processes.
	t.Exec(pod, container, "(sleep 1; kill 1) >/dev/null 2>&1 &")
}

// Exec runs a shell script in a container and returns its output.
func (t *T) Exec(pod, container, script string, args ...string) string {
	ginkgo.GinkgoHelper()
	var output, trouble bytes.Buffer
	err := t.objects.ExecInPod(t.ctx, t.Namespace, pod, container, append([]string{"sh", "-c", script, "sh"}, args...), &output, &trouble)
	if err != nil {
		err = errors.New(strings.TrimSpace(err.Error() + " " + output.String() + trouble.String()))
	}
	t.NoError(err, "run a program in container %s of pod %s", container, pod)
	return output.String()
}
