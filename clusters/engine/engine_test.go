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

package engine_test

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/command"
	"github.com/dra-conformance/dratest/clusters/engine"
)

// client returns an engine with a shell script as client; calls are logged to the returned file.
func client(t *testing.T, script string) (engine.Engine, string) {
	t.Helper()
	dir := t.TempDir()
	log, program := filepath.Join(dir, "log"), filepath.Join(dir, "docker")
	text := "#!/bin/sh\necho \"$@\" >> " + log + "\n" + script + "\n"
	if err := os.WriteFile(program, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	return engine.Engine{Program: program}, log
}

func TestInfo(t *testing.T) {
	e, _ := client(t, `echo '{"CgroupVersion": "1", "RegistryConfig": {"Mirrors": ["https://m/"], "IndexConfigs": {
		"docker.io": {"Secure": true}, "b:5000": {"Secure": false}, "a:5000": {"Secure": false}}}}'`)
	got, err := e.Info(t.Context())
	want := engine.Info{CgroupV1: true, Registries: engine.Registries{Mirrors: []string{"https://m/"}, Insecure: []string{"a:5000", "b:5000"}}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
	e, _ = client(t, "echo nonsense")
	if _, err := e.Info(t.Context()); err == nil {
		t.Error("an answer that is none is taken")
	}
}

func TestErrorsSayWhatToDo(t *testing.T) {
	for name, tc := range map[string]struct {
		script      string
		environment bool
	}{
		"no daemon":  {`echo "Cannot connect to the Docker daemon at unix:///x. Is it running?" >&2; exit 1`, true},
		"no right":   {`echo "permission denied while trying to connect to the Docker daemon socket" >&2; exit 1`, true},
		"other":      {`echo "Error: conflict" >&2; exit 1`, false},
		"no program": {"", true},
	} {
		e, _ := client(t, tc.script)
		if name == "no program" {
			e.Program = "dratest-no-such-engine"
		}
		_, err := e.Run(t.Context(), "info")
		if err == nil || errors.Is(err, clusters.ErrEnvironment) != tc.environment {
			t.Errorf("%s: %v", name, err)
		}
		if tc.environment && !strings.Contains(err.Error(), "dratest doctor") {
			t.Errorf("%s: no advice: %v", name, err)
		}
		var failed *command.Error
		if name == "other" && (!errors.As(err, &failed) || failed.Output != "Error: conflict") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestImage(t *testing.T) {
	e, _ := client(t, `echo '[{"Id":"sha256:1","RepoTags":["a:1"],"Created":"2026-01-02T03:04:05Z","Size":7,"Config":{"Labels":{"k":"v"}}}]'`)
	image, ok, err := e.Image(t.Context(), "a:1")
	if err != nil || !ok || image.ID != "sha256:1" || image.Size != 7 || image.Labels["k"] != "v" || image.Created.Year() != 2026 {
		t.Errorf("got %+v, %t, %v", image, ok, err)
	}
	for _, message := range []string{"Error: No such image: a:1", "Error response from daemon: no such image: a:1: reference does not exist"} {
		e, _ = client(t, `echo "[]"; echo "`+message+`" >&2; exit 1`)
		if _, ok, err := e.Image(t.Context(), "a:1"); ok || err != nil {
			t.Errorf("%s: got %t, %v", message, ok, err)
		}
	}
}

// With the registry "-x", the client took the name of an image for a flag.
func TestNameThatBeginsLikeAFlag(t *testing.T) {
	e, log := client(t, "echo '[]'")
	if _, _, err := e.Image(t.Context(), "--format=x"); err != nil {
		t.Fatal(err)
	}
	if calls, err := os.ReadFile(log); err != nil || string(calls) != "image inspect -- --format=x\n" {
		t.Errorf("called %s, %v", calls, err)
	}
}

// "images list" waited forever for an engine that accepted connections but never responded.
func TestEngineThatDoesNotAnswer(t *testing.T) {
	e, _ := client(t, "exec sleep 600")
	e.Patience = time.Millisecond
	_, _, imageErr := e.Image(t.Context(), "a:1")
	_, imagesErr := e.Images(t.Context(), "label")
	_, infoErr := e.Info(t.Context())
	for _, err := range []error{imageErr, imagesErr, infoErr, e.RemoveContainers(t.Context(), "label")} {
		if !errors.Is(err, clusters.ErrEnvironment) || !strings.Contains(err.Error(), "has not answered within 1ms") {
			t.Errorf("got %v", err)
		}
	}
}

func TestImagesAsksForEachOnce(t *testing.T) {
	e, log := client(t, `case "$2" in ls) printf 'sha256:2\nsha256:1\nsha256:2\n';; *) echo '[]';; esac`)
	if _, err := e.Images(t.Context(), "label"); err != nil {
		t.Fatal(err)
	}
	calls, err := os.ReadFile(log)
	if err != nil || !strings.HasSuffix(string(calls), "image inspect -- sha256:1 sha256:2\n") {
		t.Errorf("called %s, %v", calls, err)
	}
}

func TestRemoveContainers(t *testing.T) {
	e, log := client(t, `[ "$1" = ps ] && printf 'a\nb\n'; true`)
	if err := e.RemoveContainers(t.Context(), "x"); err != nil {
		t.Fatal(err)
	}
	calls, err := os.ReadFile(log)
	if err != nil || !strings.HasSuffix(string(calls), "rm --force --volumes a b\n") {
		t.Errorf("called %s, %v", calls, err)
	}
	e, log = client(t, "true")
	if err := e.RemoveContainers(t.Context(), "x"); err != nil {
		t.Fatal(err)
	}
	if calls, err := os.ReadFile(log); err != nil || strings.Contains(string(calls), "rm ") {
		t.Errorf("called %s, %v", calls, err)
	}
}
