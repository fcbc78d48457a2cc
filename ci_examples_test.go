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
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// ciSteps returns the scripts of docs/ci in their order of execution, with GitHub's expressions replaced by the values of
// the example.
func ciSteps(t *testing.T) map[string][]string {
	t.Helper()
	parse := func(file string, into any) {
		if err := yaml.Unmarshal([]byte(read(t, file)), into); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
	}
	var gitlab struct {
		Certify struct {
			Before []string `json:"before_script"`
			Script []string `json:"script"`
			After  []string `json:"after_script"`
		} `json:"certify"`
	}
	parse("docs/ci/gitlab.yaml", &gitlab)
	var prow struct {
		Periodics []struct {
			Spec struct {
				Containers []struct {
					Args []string `json:"args"`
				} `json:"containers"`
			} `json:"spec"`
		} `json:"periodics"`
	}
	parse("docs/ci/prow.yaml", &prow)
	c := gitlab.Certify
	return map[string][]string{
		// GitLab runs the first two in one shell, the last one in another.
		"gitlab": {strings.Join(slices.Concat(c.Before, c.Script), "\n"), strings.Join(c.After, "\n")},
		"prow":   prow.Periodics[0].Spec.Containers[0].Args,
		"github": githubSteps(t),
	}
}

// githubSteps returns the scripts of docs/ci/github.yaml and of its actions.
func githubSteps(t *testing.T) (scripts []string) {
	t.Helper()
	type step struct {
		Uses string            `json:"uses"`
		Run  string            `json:"run"`
		If   string            `json:"if"`
		With map[string]string `json:"with"`
		Env  map[string]string `json:"env"`
	}
	var example struct {
		Jobs map[string]struct{ Steps []step } `json:"jobs"`
	}
	content := strings.ReplaceAll(read(t, "docs/ci/github.yaml"), "persist-credentials: false", "")
	if err := yaml.Unmarshal([]byte(content), &example); err != nil {
		t.Fatal(err)
	}
	for _, used := range example.Jobs["certify"].Steps {
		path, ours := strings.CutPrefix(used.Uses, "dra-conformance/dratest/")
		if !ours {
			if used.Run != "" {
				scripts = append(scripts, used.Run)
			}
			continue
		}
		path, _, _ = strings.Cut(path, "@")
		var action struct {
			Inputs map[string]struct{ Default string } `json:"inputs"`
			Runs   struct{ Steps []step }              `json:"runs"`
		}
		if err := yaml.Unmarshal([]byte(read(t, path+"/action.yml")), &action); err != nil {
			t.Fatal(err)
		}
		for name := range used.With {
			if _, known := action.Inputs[name]; !known {
				t.Errorf("%s has no input %s", path, name)
			}
		}
		for _, s := range action.Runs.Steps {
			script := ". \"$GITHUB_ENV_FILE\"\n"
			for name, value := range s.Env {
				value = regexp.MustCompile(`\$\{\{ inputs\.(\w+) \}\}`).ReplaceAllStringFunc(value, func(found string) string {
					input := strings.Fields(found)[1][len("inputs."):]
					if given, ok := used.With[input]; ok {
						return given
					}
					return action.Inputs[input].Default
				})
				script += "export " + name + "='" + strings.ReplaceAll(value, "${{ runner.temp }}", "'\"$RUNNER_TEMP\"'") + "'\n"
			}
			if s.Run != "" && s.If != "failure()" {
				scripts = append(scripts, script+s.Run)
			}
		}
	}
	return scripts
}

// programs writes programs that append their name and arguments to the file "calls" in a directory.
func programs(t *testing.T, dir string, names ...string) (path string) {
	t.Helper()
	path = filepath.Join(dir, "bin")
	if err := os.MkdirAll(path, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		script := "#!/bin/bash\necho \"${0##*/} $*\" >>\"" + dir + "/calls\"\n[[ $* != *--digestfile* ]] || printf sha256:%064d 1 >digest\n"
		if err := os.WriteFile(filepath.Join(path, name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return path + ":" + os.Getenv("PATH")
}

// fakeRelease creates a directory with the archive of a release, and a curl that downloads from it. The release's dratest
// writes its arguments to the file calls.
func fakeRelease(t *testing.T) (dir, path string) {
	t.Helper()
	dir = t.TempDir()
	path = programs(t, dir, "docker", "apk", "kubectl", "dratest")
	for _, directory := range []string{"dratest_v0.1.0", "release", "work", "temp", "work/deploy"} {
		if err := os.Mkdir(filepath.Join(dir, directory), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	const curl = "#!/bin/bash\nfor url in \"$@\"; do :; done\nexec cp \"${0%/bin/curl}/release/${url##*/v0.1.0/}\" .\n"
	fake := strings.Replace(read(t, filepath.Join(dir, "bin/dratest")), "${0##*/}", "dratest", 1) + "[ \"$1 $2\" != \"cluster kubeconfig\" ] || echo kubeconfig\n"
	for file, content := range map[string]string{"bin/curl": curl, "dratest_v0.1.0/dratest": fake, "github_env": "", "work/driver.yaml": ""} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(content), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(filepath.Join(dir, "bin/dratest")); err != nil {
		t.Fatal(err)
	}
	sums := ""
	for _, platform := range []string{"linux_amd64", "linux_arm64", "darwin_amd64", "darwin_arm64"} {
		name := "dratest_v0.1.0_" + platform + ".tar.gz"
		if out, err := exec.CommandContext(t.Context(), "tar", "-C", dir, "-czf", filepath.Join(dir, "release", name), "dratest_v0.1.0").CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		sum := sha256.Sum256([]byte(read(t, filepath.Join(dir, "release", name))))
		sums += hex.EncodeToString(sum[:]) + "  " + name + "\n"
	}
	if err := os.WriteFile(filepath.Join(dir, "release/SHA256SUMS"), []byte(sums), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir, path
}

// The example for a driver's repository downloaded files that a release does not have, and ran the wrong command. This test
// runs all steps of the examples with a fake release, and checks that the recorded commands and flags exist.
func TestExamplesForCI(t *testing.T) {
	calls := map[string][]string{
		"github": {"cluster create --version 1.37", "cluster load driver:ci", "certify --file driver.yaml --name dratest --report-dir", "cluster delete dratest"},
		"gitlab": {"cluster create --version 1.37", "cluster load driver:ci", "certify --file driver.yaml --name dratest --disruptive", "gather --kubeconfig kubeconfig", "cluster delete dratest"},
		"prow":   {"run --version 1.37 --name dra-7 --profile conformance --project dra"},
	}
	known := commandFlags(t)
	for name, scripts := range ciSteps(t) {
		t.Run(name, func(t *testing.T) {
			dir, path := fakeRelease(t)
			for _, script := range scripts {
				// What GitHub reads of the files after each step.
				const state = "\nset +e; [ ! -s \"$GITHUB_ENV\" ] || sed 's/^/export /' \"$GITHUB_ENV\" >>\"$GITHUB_ENV_FILE\"; : >\"$GITHUB_ENV\"\n" +
					"[ ! -s \"$GITHUB_PATH\" ] || sed 's|.*|export PATH=\"&:$PATH\"|' \"$GITHUB_PATH\" >>\"$GITHUB_ENV_FILE\"; : >\"$GITHUB_PATH\"\n"
				cmd := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", script+state)
				cmd.Dir, cmd.Env = filepath.Join(dir, "work"), append(os.Environ(), "PATH="+path, "DRATEST=v0.1.0", "ARTIFACTS="+dir+"/artifacts",
					"BUILD_ID=7", "JOB_NAME=dra", "CI_JOB_STATUS=failed", "RUNNER_TEMP="+dir+"/temp", "GITHUB_ENV="+dir+"/env", "GITHUB_PATH="+dir+"/path",
					"GITHUB_ENV_FILE="+dir+"/github_env", "GITHUB_STEP_SUMMARY="+dir+"/summary", "TMPDIR="+dir+"/temp")
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("%v: %s\n%s", err, script, out)
				}
			}
			made := read(t, filepath.Join(dir, "calls"))
			for _, call := range calls[name] {
				if !strings.Contains(made, "dratest "+call) {
					t.Errorf("expected %q in:\n%s", call, made)
				}
			}
			for line := range strings.Lines(made) {
				checkCall(t, known, strings.Fields(line))
			}
		})
	}
}

// checkCall checks that docs/cli has the command and flags of a call of dratest.
func checkCall(t *testing.T, known, words []string) {
	t.Helper()
	if words[0] != "dratest" {
		return
	}
	command := strings.Join(words[:2], " ")
	if words[1] == "--version" {
		return
	}
	if sub := strings.Join(words[:min(3, len(words))], " "); slices.Contains(known, sub) && !strings.Contains(sub, "--") {
		command = sub
	}
	if !slices.Contains(known, command) {
		t.Errorf("dratest has no command %q", command)
	}
	for _, word := range words[2:] {
		if strings.HasPrefix(word, "--") && !slices.Contains(flagsOf(t, command), word) {
			t.Errorf("%q has no flag %s", command, word)
		}
	}
}

// flagsOf returns all flags of a command's help, of all sections.
func flagsOf(t *testing.T, command string) (flags []string) {
	t.Helper()
	words := strings.Fields(command)
	_, text, _ := strings.Cut(read(t, "docs/cli/"+words[1]+".md"), "# "+command+"\n")
	text, _, _ = strings.Cut(text, "\n#")
	for _, found := range regexp.MustCompile(`(?m)^ +(?:-[a-zA-Z], )?(--[a-z0-9-]+)`).FindAllStringSubmatch(text, -1) {
		flags = append(flags, found[1])
	}
	return flags
}
