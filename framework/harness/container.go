package harness

import (
	"bytes"
	"errors"
	"strings"

	"github.com/onsi/ginkgo/v2"
)

// EndContainer ends a container that runs one of objects' scripts, from inside.
func (t *T) EndContainer(pod, container string) {
	ginkgo.GinkgoHelper()
	t.Step("end container %s of pod %s", container, pod)
	// Later, as the container takes with it what runs in it.
	t.shell(pod, container, "(sleep 1; kill 1) >/dev/null 2>&1 &")
}

// ReadFile is what a container has in a file, and whether the file is there.
func (t *T) ReadFile(pod, container, path string) (content string, found bool) {
	ginkgo.GinkgoHelper()
	t.Step("read %s in container %s of pod %s", path, container, pod)
	return strings.CutPrefix(t.shell(pod, container, readFile, path), "there\n")
}

// CanWrite is whether a container can write to a file, to which it adds a line then.
func (t *T) CanWrite(pod, container, path string) bool {
	ginkgo.GinkgoHelper()
	t.Step("try to write %s in container %s of pod %s", path, container, pod)
	return t.shell(pod, container, canWrite, path) != ""
}

// What containers run: only what each shell has itself, as images of vendors may have no cat.
const (
	readFile = `[ -f "$1" ] || exit 0
echo there
while IFS= read -r line || [ -n "$line" ]; do printf '%s\n' "$line"; done <"$1"`
	canWrite = `(echo written >>"$1") 2>/dev/null && echo written
true`
)

// shell runs a script in a container, and returns what it prints.
func (t *T) shell(pod, container, script string, args ...string) string {
	ginkgo.GinkgoHelper()
	var output, trouble bytes.Buffer
	err := t.objects.ExecInPod(t.ctx, t.Namespace, pod, container, append([]string{"sh", "-c", script, "sh"}, args...), &output, &trouble)
	if err != nil {
		err = errors.New(strings.TrimSpace(err.Error() + " " + output.String() + trouble.String()))
	}
	t.NoError(err, "run a program in container %s of pod %s", container, pod)
	return output.String()
}
