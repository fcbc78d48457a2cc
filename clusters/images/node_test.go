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

package images

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/engine"
	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/clusters/versions"
)

func TestUnknownVersion(t *testing.T) {
	if _, err := Node(t.Context(), Options{Version: "v1.99.0", Cache: t.TempDir()}); !errors.Is(err, clusters.ErrUnknownVersion) {
		t.Errorf("got %v", err)
	}
}

// A machine without Go uses the images built for it.
func TestWithoutGo(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	for name, tc := range map[string]struct{ script, want string }{
		"image there": {`echo '[{"Id":"sha256:1"}]'`, "dratest/node:" + versions.Newest().Kubernetes},
		"no image":    {`echo "No such image" >&2; exit 1`, ""},
	} {
		program := filepath.Join(t.TempDir(), "docker")
		if err := os.WriteFile(program, []byte("#!/bin/sh\n"+tc.script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		ref, err := Node(t.Context(), Options{
			Version: versions.Newest().Minor(), Cache: t.TempDir(), Engine: engine.Engine{Program: program}, Progress: progress.New(&out),
		})
		if ref != tc.want {
			t.Errorf("%s: got %q", name, ref)
		}
		if tc.want == "" && (!errors.Is(err, clusters.ErrEnvironment) || !strings.Contains(err.Error(), "needs Go")) {
			t.Errorf("%s: %v", name, err)
		}
		if tc.want != "" && !strings.Contains(out.String(), "no Go") {
			t.Errorf("%s: does not say so: %q", name, out.String())
		}
	}
}

// The first line names the image and the reason for the choice.
func TestPickSaysWhy(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	const other = "none has it"
	newest := versions.Newest().Kubernetes
	program := filepath.Join(t.TempDir(), "docker")
	for name, tc := range map[string]struct {
		cgroup     string
		restricted bool
		source     clusters.NodeImageSource
		registry   string
		want       string
	}{
		"asked for":        {"2", true, clusters.SourceBuild, "", newest + ", built on this machine: as asked for"},
		"capability":       {"2", true, clusters.SourceAuto, "", newest + ", built on this machine: this machine lacks CAP_SYS_RESOURCE"},
		"cgroup v1":        {"1", false, "", "", newest + ", built on this machine: the engine's machine has cgroup v1"},
		"there is one":     {"2", false, "", "", newest + ", built on this machine: one has been built already"},
		"cannot be pulled": {"2", true, clusters.SourceRegistry, "127.0.0.1:1", "published by kind: as asked for, although no registry answers at 127.0.0.1:1"},
	} {
		script := `#!/bin/sh
case "$1 $4" in
"info "*) echo '{"CgroupVersion": "` + tc.cgroup + `"}' ;;
"image dratest/node:` + newest + `") echo '[{"Id":"sha256:1"}]' ;;
image*) echo "No such image" >&2; exit 1 ;;
*) echo "` + other + `" >&2; exit 1 ;;
esac
`
		if err := os.WriteFile(program, []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		ref, err := pick(t.Context(), Options{
			Cache: t.TempDir(), Restricted: tc.restricted, Engine: engine.Engine{Program: program}, Progress: progress.New(&out),
		}, tc.source, tc.registry)
		line, _, _ := strings.Cut(out.String(), "\n")
		if !strings.Contains(line, tc.want) {
			t.Errorf("%s: says %q", name, line)
		}
		if tc.source == clusters.SourceRegistry {
			if !errors.Is(err, clusters.ErrEnvironment) || !strings.Contains(err.Error(), other) {
				t.Errorf("%s: %v", name, err)
			}
		} else if err != nil || ref != "dratest/node:"+newest {
			t.Errorf("%s: %q, %v", name, ref, err)
		}
	}
}

// A build once removed the nodes of all running clusters: their image had inherited the label of a build container.
func TestImagesAreNotTakenForContainersOfABuild(t *testing.T) {
	args := commitArgs([][2]string{{labelStage, "node"}}, "container", "image")
	if !slices.Contains(args, `LABEL io.dratest.building="false"`) || building == built {
		t.Errorf("the image keeps the label of a build's container: %q", args)
	}
}
