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
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/dra-conformance/dratest/framework/spec"
)

// The default images were in a registry that does not exist. Manifests and workflows must use spec.ImageRegistry.
func TestImageNames(t *testing.T) {
	names := regexp.MustCompile(`[a-z0-9.-]+(?:/[a-z0-9-]+)*/(?:dratest|dra-sim|busybox):[a-z0-9.]+`)
	for _, file := range []string{
		"drivers/declarations/dra-sim/install.yaml", "implementation/cmd/dra-classic-driver/kubelet-plugin.yaml", "docs/whatif.md", "docs/classic.md",
		".github/workflows/release.yaml",
	} {
		found := 0
		for _, name := range names.FindAllString(read(t, file), -1) {
			if strings.HasPrefix(name, "docker.io/") {
				continue
			}
			if found++; name != spec.ImageSim && name != spec.ImageBusybox {
				t.Errorf("%s: expected an image of %s, got %s", file, spec.ImageRegistry, name)
			}
		}
		if found == 0 {
			t.Errorf("%s: no image", file)
		}
	}
}

// workflowScripts returns the scripts of a workflow's steps by name.
func workflowScripts(t *testing.T, file, job string) map[string]string {
	t.Helper()
	var w workflow
	if err := yaml.Unmarshal([]byte(read(t, file)), &w); err != nil {
		t.Fatal(err)
	}
	scripts := map[string]string{}
	for _, s := range w.Jobs[job].Steps {
		if s.Run != "" {
			scripts[s.Name] = s.Run
		}
	}
	return scripts
}

// The publishing job pushes and signs the images printed by "dratest images list". .ci/release-check runs its steps with
// a registry.
func TestPublishingJob(t *testing.T) {
	dir := t.TempDir()
	path := programs(t, dir, "docker", "skopeo", "cosign", "gh")
	if err := os.Mkdir(filepath.Join(dir, "dist"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"images.txt": spec.ImageRun + ":v1.2.3\n" + spec.ImageSim + "\n", "SHA256SUMS": "", "notes.md": ""} {
		if err := os.WriteFile(filepath.Join(dir, "dist", name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	scripts := workflowScripts(t, ".github/workflows/release.yaml", "publish")
	for _, name := range []string{"Push the images", "Sign images and checksums", "Publish the release"} {
		cmd := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", scripts[name])
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "PATH="+path, "GH_TOKEN=secret", "GITHUB_ACTOR=a", "GITHUB_REF_NAME=v1.2.3")
		if out, err := cmd.CombinedOutput(); scripts[name] == "" || err != nil {
			t.Fatalf("%s: %v: %s", name, err, out)
		}
	}
	calls, digest := read(t, filepath.Join(dir, "calls")), "@sha256:"+strings.Repeat("0", 63)+"1"
	for _, want := range []string{
		"oci-archive:dist/images.tar:" + spec.ImageRun + ":v1.2.3 docker://" + spec.ImageRun + ":v1.2.3\n",
		"oci-archive:dist/images.tar:" + spec.ImageSim + " docker://" + spec.ImageSim + "\n",
		" docker://" + spec.ImageBusybox + "\n",
		"cosign sign --yes --recursive " + spec.ImageRun + digest + " " + spec.ImageRegistry + "/dra-sim" + digest + "\n",
		"gh release create v1.2.3 dist/SHA256SUMS dist/images.txt dist/notes.md --verify-tag",
	} {
		if !strings.Contains(calls, want) {
			t.Errorf("expected %q in:\n%s", want, calls)
		}
	}
	if strings.Contains(calls, "secret") {
		t.Errorf("the token is on a command line:\n%s", calls)
	}
}
