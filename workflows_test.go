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
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// workflow is the part of a workflow read by TestWorkflowsHaveLeastPrivilege.
type workflow struct {
	Permissions any               `json:"permissions"`
	Env         map[string]string `json:"env"`
	Jobs        map[string]struct {
		Permissions map[string]string `json:"permissions"`
		Env         map[string]string `json:"env"`
		Steps       []struct {
			Name string            `json:"name"`
			Uses string            `json:"uses"`
			Run  string            `json:"run"`
			With map[string]any    `json:"with"`
			Env  map[string]string `json:"env"`
		} `json:"steps"`
	} `json:"jobs"`
}

// publishing lists the jobs that may write, as "workflow job". They run no code of this repository.
var publishing = []string{"release.yaml publish"}

// workflows returns the workflows of this repository and the examples for other repositories.
func workflows(t *testing.T) (names []string) {
	t.Helper()
	for _, pattern := range []string{".github/workflows/*", "docs/ci/github*.yaml"} {
		found, _ := filepath.Glob(pattern)
		names = append(names, found...)
	}
	if len(names) < 4 {
		t.Fatalf("expected at least 4 workflows, got %q", names)
	}
	return names
}

// The release job had a token with write access to the repository while it ran code of all dependencies. Actions were
// pinned by tags, which can be moved.
func TestWorkflowsHaveLeastPrivilege(t *testing.T) {
	for _, name := range workflows(t) {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, problem := range privileges(t, filepath.Base(name), string(content)) {
			t.Errorf("%s: %s", name, problem)
		}
	}
}

// privileges lists the unnecessary privileges of a workflow.
func privileges(t *testing.T, name, content string) (problems []string) {
	t.Helper()
	problems = unpinned(content)
	var w workflow
	if err := yaml.Unmarshal([]byte(content), &w); err != nil {
		t.Fatal(err)
	}
	if read, ok := w.Permissions.(map[string]any); !ok || len(read) > 1 || len(read) == 1 && read["contents"] != "read" {
		problems = append(problems, `expected the permissions of all jobs to be "contents: read" or less`)
	}
	token := regexp.MustCompile(`github\.token|secrets\.`)
	holds := func(where string, env map[string]string) {
		for key, value := range env {
			if token.MatchString(value) {
				problems = append(problems, where+": token in the environment as "+key)
			}
		}
	}
	holds("all jobs", w.Env)
	for _, id := range slices.Sorted(maps.Keys(w.Jobs)) {
		job, publishes := w.Jobs[id], slices.Contains(publishing, name+" "+id)
		holds(id, job.Env)
		for scope, access := range job.Permissions {
			if access == "write" && !publishes {
				problems = append(problems, id+": only a publishing job may write "+scope)
			}
		}
		for _, step := range job.Steps {
			action, _, _ := strings.Cut(step.Uses, "@")
			if !publishes {
				holds(id, step.Env)
			} else if action == "actions/checkout" || regexp.MustCompile(`\bmake |\bgo |\.ci/`).MatchString(step.Run) {
				problems = append(problems, id+": a publishing job may not run code of this repository")
			}
			if action == "actions/checkout" && step.With["persist-credentials"] != false {
				problems = append(problems, id+": checkout needs persist-credentials: false")
			}
			if strings.Contains(step.Run, "${{") {
				problems = append(problems, id+": pass ${{ }} to a script by env")
			}
		}
	}
	return problems
}

// unpinned lists actions not pinned by commit. This project's actions are pinned by tag, since a release cannot contain its
// own commit.
func unpinned(content string) (problems []string) {
	pinned := regexp.MustCompile(`^(dra-conformance/dratest/\S+@v\d+\.\d+\.\d+|\S+@[0-9a-f]{40} # v\d+\.\d+\.\d+)$`)
	for _, found := range regexp.MustCompile(`(?m)^\s*(?:- )?uses: (.*)$`).FindAllStringSubmatch(content, -1) {
		if !pinned.MatchString(found[1]) {
			problems = append(problems, "expected a commit and its tag as comment (owner/action@0123… # v1.2.3), got "+found[1])
		}
	}
	return problems
}

func TestActionsAndDocumentsPinActions(t *testing.T) {
	for _, pattern := range []string{".github/actions/*/action.yml", "docs/*.md"} {
		files, _ := filepath.Glob(pattern)
		if len(files) == 0 {
			t.Errorf("no files %s", pattern)
		}
		for _, file := range files {
			for _, problem := range unpinned(read(t, file)) {
				t.Errorf("%s: %s", file, problem)
			}
		}
	}
}

func TestPrivilegesFound(t *testing.T) {
	for _, tc := range []struct{ name, content, want string }{
		{"tag", "permissions: {}\njobs:\n  a:\n    steps:\n    - uses: actions/cache@v4\n", "got actions/cache@v4"},
		{"commit without tag", "permissions: {}\njobs:\n  a:\n    steps:\n    - uses: actions/cache@27d5ce7f107fe9357f9df03efb73ab90386fccae\n", "and its tag"},
		{"no permissions", "jobs: {}\n", "permissions of all jobs"},
		{"all may write", "permissions: {contents: write}\n", "permissions of all jobs"},
		{"everything", "permissions: write-all\n", "permissions of all jobs"},
		{"job may write", "permissions: {}\njobs: {a: {permissions: {packages: write}}}\n", "only a publishing job may write packages"},
		{"token of a job", "permissions: {}\njobs: {publish: {env: {T: '${{ github.token }}'}}}\n", "publish: token in the environment as T"},
		{"token of a step", "permissions: {}\njobs: {a: {steps: [{run: make, env: {T: '${{ secrets.GITHUB_TOKEN }}'}}]}}\n", "a: token in the environment as T"},
		{"code of the repository", "permissions: {}\njobs: {publish: {steps: [{run: make release}]}}\n", "may not run code"},
		{"credentials stay", "permissions: {}\njobs: {a: {steps: [{uses: actions/checkout@x}]}}\n", "persist-credentials"},
		{"expression in a script", "permissions: {}\njobs: {a: {steps: [{run: 'echo ${{ github.ref }}'}]}}\n", "by env"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if problems := privileges(t, "release.yaml", tc.content); !strings.Contains(strings.Join(problems, "\n"), tc.want) {
				t.Errorf("expected %q, got %q", tc.want, problems)
			}
		})
	}
}

// The nightly check read only the root module, while SECURITY.md promised all dependencies. In a
// checkout with all modules, a fake govulncheck reports what it is asked for.
func TestVulncheckCoversAllModules(t *testing.T) {
	var modules []string
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && (entry.Name() == "testdata" || entry.Name() == ".git") {
			return filepath.SkipDir
		}
		if entry.Name() == "go.mod" {
			modules = append(modules, filepath.Dir(path))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	images, _ := filepath.Glob("clusters/images/modules/*.mod")
	if len(modules) < 6 || len(images) < 8 {
		t.Fatalf("expected at least 6 modules and 8 of images, got %q and %q", modules, images)
	}
	for _, tc := range []struct {
		name, vulnerable string
		code             int
		want             string
	}{
		{"none", "none", 0, ""},
		{"the root module", ". ", 3, "update the dependencies of: .\n"},
		{"another module", "implementation ", 3, "update the dependencies of: implementation\n"},
		{"a program in node images", ". *-modfile=*/etcd.mod", 3, "update the dependencies of: etcd\n"},
		{"Kubernetes", ". *-modfile=*/kubernetes-*", 0, "::warning title=vulncheck::kubernetes-"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var empty []string
			for _, module := range modules {
				empty = append(empty, filepath.Join(module, "go.mod"))
			}
			dir := checkout(t, ".ci/vulncheck", "", append(empty, images...)...)
			// As "go tool … govulncheck" it prints its own path, as govulncheck where it runs.
			const fake = "#!/bin/bash\n[ $# -gt 1 ] && echo \"$0\" && exit\n" +
				"at=$(realpath --relative-to=\"${0%/*}\" .) && echo \"in $at $GOFLAGS $*\"\n[[ \"$at $GOFLAGS\" != $VULNERABLE ]] || exit 3\n"
			if err := os.WriteFile(filepath.Join(dir, "go"), []byte(fake), 0o755); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command("bash", ".ci/vulncheck")
			cmd.Dir, cmd.Env = dir, append(os.Environ(), "GO="+filepath.Join(dir, "go"), "GOFLAGS=", "CI=true", "VULNERABLE="+tc.vulnerable)
			out, _ := cmd.CombinedOutput()
			if code := cmd.ProcessState.ExitCode(); code != tc.code || !strings.Contains(string(out), tc.want) {
				t.Errorf("code %d, expected %d and %q:\n%s", code, tc.code, tc.want, out)
			}
			for _, module := range modules {
				if !strings.Contains(string(out), "in "+module+"  ./...\n") {
					t.Errorf("module %s is not checked:\n%s", module, out)
				}
			}
			for _, image := range images {
				if !strings.Contains(string(out), "in .  -modfile="+image+" tool\n") {
					t.Errorf("%s is not checked:\n%s", image, out)
				}
			}
		})
	}
}
