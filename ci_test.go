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
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// ciScript sources .ci/steps, runs a script and returns its output.
func ciScript(t *testing.T, script string) (string, error) {
	t.Helper()
	cmd := exec.Command("bash", "-c", "set -euo pipefail; . .ci/steps; trap steps EXIT\n"+script)
	cmd.Env = append(os.Environ(), "BEAT=1")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func TestStepsOfContinuousIntegration(t *testing.T) {
	for _, tc := range []struct {
		name, script string
		fails        bool
		want         []string
		not          string
	}{
		{"all pass", "step a 1 2 true\nstep b 1 2 true", false, []string{"== a: starts", "== a: passed", "a                        1m     2m    0m0"}, "over budget"},
		{"first failure ends it", "step a 1 2 false\nstep b 1 2 true", true, []string{"== a: failed"}, "== b"},
		{"sign of life", "BEAT=0.05; step a 1 2 sleep 0.3", false, []string{"== a: goes on for 0 min"}, "failed"},
		{"over budget", "step a -1 2 true", false, []string{"passed, over budget"}, "failed"},
		{"all together", "whole=0.001\nstep a 1 2 sleep 20", true, []string{"was ended because it reached its limit of 0.0"}, "passed"},
		// 3 s: a busy machine needs a second until the trap is set.
		{"limit", `step a 1 0.05 bash -c 'trap "echo cleaned up; exit 1" TERM; sleep 20 & wait'`, true,
			[]string{"cleaned up", "was ended because it reached its limit of 0.05 min"}, "passed"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			out, err := ciScript(t, tc.script)
			if (err != nil) != tc.fails || strings.Contains(out, tc.not) {
				t.Errorf("%v\n%s", err, out)
			}
			for _, text := range tc.want {
				if !strings.Contains(out, text) {
					t.Errorf("%q is missing in:\n%s", text, out)
				}
			}
		})
	}
}

func TestInterruptedStepEndsItsCommand(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cleaned")
	// The command is ready after 0.2 s, because timeout (coreutils before 9.2) loses its child if
	// signaled while starting it. Its trap creates the file without a child process, because
	// timeout signals its child first and then the whole process group, including processes started
	// by the trap.
	cmd := exec.Command("bash", "-c", `set -euo pipefail; . .ci/steps
		step a 1 2 bash -c 'trap ": > `+file+`; exit 1" TERM; sleep 0.2; echo ready; sleep 20 & wait'
		touch `+file+`.next`)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	began, said, buffer := time.Now(), "", make([]byte, 1000)
	for !strings.Contains(said, "ready") {
		n, err := out.Read(buffer)
		if err != nil {
			t.Fatal(err, said)
		}
		said += string(buffer[:n])
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	err = cmd.Wait()
	if _, missing := os.Stat(file); err == nil || missing != nil || time.Since(began) > 15*time.Second {
		t.Errorf("%v, cleaned up: %v, after %s", err, missing, time.Since(began))
	}
	if _, err := os.Stat(file + ".next"); err == nil {
		t.Error("the script went on after the signal")
	}
}

// row is a row of .ci/table.
type row struct {
	when, name, command string
	budget, limit       int
}

func ciTable(t *testing.T) (rows []row) {
	t.Helper()
	content, err := os.ReadFile(".ci/table")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(content)) {
		if strings.HasPrefix(line, "#") || strings.TrimSpace(line) == "" {
			continue
		}
		fields := regexp.MustCompile(`^(change|weekly) +([a-z0-9-]+) +(\d+) +(\d+) (.+)\n$`).FindStringSubmatch(line)
		if fields == nil {
			t.Fatalf("expected when, step, budget, limit and command, got %q", line)
		}
		budget, _ := strconv.Atoi(fields[3])
		limit, _ := strconv.Atoi(fields[4])
		rows = append(rows, row{fields[1], fields[2], fields[5], budget, limit})
	}
	return rows
}

// The timeout of the job in ci.yaml exceeds the 88 minutes of .ci/run, those in weekly.yaml exceed
// 150 minutes.
func TestBudgetsOfContinuousIntegration(t *testing.T) {
	sum, seen := 0, map[string]bool{}
	for _, r := range ciTable(t) {
		if seen[r.when+r.name] {
			t.Errorf("%s has two steps %s", r.when, r.name)
		}
		seen[r.when+r.name] = true
		most := map[string]int{"change": 88, "weekly": 150}[r.when]
		if r.budget >= r.limit || r.limit > most {
			t.Errorf("%s: budget %d, limit %d: expected a limit above the budget and at most %d", r.name, r.budget, r.limit, most)
		}
		if r.when == "change" {
			sum += r.budget
		}
	}
	if sum > 60 {
		t.Errorf("the budgets of .ci/run come to %d minutes, more than 60: move a step to weekly", sum)
	}
	for file, minutes := range map[string]string{".ci/run": "whole=88", ".github/workflows/ci.yaml": "timeout-minutes: 120", ".github/workflows/weekly.yaml": "timeout-minutes: 180"} {
		if content, err := os.ReadFile(file); err != nil || !strings.Contains(string(content), minutes) {
			t.Errorf("%s: expected %q, %v", file, minutes, err)
		}
	}
}

// All steps of a table run even if one fails, and the first failure is reported.
func TestStepsOfATable(t *testing.T) {
	const table = "rows() { printf '%s\n' 'x a 1 2 echo \"in  a\"; false' 'x b 1 2 echo in b' 'x c 1 2 echo in c'; }\n"
	for _, tc := range []struct {
		name, script string
		want, not    []string
	}{
		{"all", "all x", []string{"in  a", "in b", "in c"}, nil},
		{"some", "all x c a", []string{"in  a", "in c"}, []string{"in b"}},
		{"the first failure", "stop=1; all x", []string{"in  a"}, []string{"in b"}},
		{"unknown", "all x d", []string{"x has no step d"}, []string{"in"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			out, err := ciScript(t, table+tc.script)
			if err == nil {
				t.Errorf("passed:\n%s", out)
			}
			for _, text := range tc.want {
				if !strings.Contains(out, "\n"+text+"\n") && !strings.HasPrefix(out, text) {
					t.Errorf("%q is missing in:\n%s", text, out)
				}
			}
			for _, text := range tc.not {
				if strings.Contains(out, "\n"+text) {
					t.Errorf("%q is in:\n%s", text, out)
				}
			}
		})
	}
}

// TestTargetsExist checks that the Makefile has all make targets mentioned in documents, scripts
// and messages, and at most 20 targets.
func TestTargetsExist(t *testing.T) {
	makefile, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	targets := map[string]bool{}
	for _, found := range regexp.MustCompile(`(?m)^([a-z0-9-]+):`).FindAllStringSubmatch(string(makefile), -1) {
		targets[found[1]] = true
	}
	if len(targets) > 20 {
		t.Errorf("the Makefile has %d targets, more than 20", len(targets))
	}
	check := func(name, text, pattern string) {
		for _, found := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
			if !targets[found[1]] {
				t.Errorf("%s: the Makefile has no target %s", name, found[1])
			}
		}
	}
	for _, f := range goFiles(t) {
		if strings.HasSuffix(f.name, "_test.go") {
			continue
		}
		check(f.name, string(f.content), "[`\"]make ([a-z][a-z0-9-]+)(?: [A-Z_]+=[^`\"]*)?\\\\?[`\"]")
	}
	var documents []string
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/adr/*.md", ".ci/*", ".github/workflows/*"} {
		found, _ := filepath.Glob(pattern)
		documents = append(documents, found...)
	}
	for _, name := range documents {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if name != "CHANGELOG.md" {
			check(name, string(content), "(?m)(?:`|^|run: |[0-9] )make ([a-z][a-z0-9-]+)")
		}
	}
}

// checkout creates a directory with a script of this repository, a fake bin/dratest with these
// commands, and empty files.
func checkout(t *testing.T, script, dratest string, empty ...string) (dir string) {
	t.Helper()
	text, err := os.ReadFile(script)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{script: string(text), "bin/dratest": "#!/bin/sh\n" + dratest}
	for _, file := range empty {
		files[file] = ""
	}
	dir = t.TempDir()
	for file, text := range files {
		file = filepath.Join(dir, file)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Only an undetected or untried mutant fails a CI run with a short proof; an exhausted time budget
// does not.
func TestWhatMutantsOfWhatHasChangedComeTo(t *testing.T) {
	for _, tc := range []struct {
		name, dratest string
		noClone       bool
		code          int
		want          string
	}{
		{"all are killed", "exit 0", false, 0, ""},
		{"one survives", "exit 1", false, 1, ""},
		{"the machine cannot", "exit 3", false, 3, ""},
		{"the time was over", "exit 4", false, 0, "not all were tried"},
		{"one could not be tried", `echo '"problem": "a"' >report/prove.json; exit 4`, false, 1, "could not be tried"},
		{"no clone", "exit 1", true, 0, "no mutant was tried"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := checkout(t, ".ci/mutants-changed", tc.dratest, "suites/catalogue/kills.yaml", "report/.keep")
			run := "git init -q && git add . && git -c user.name=a -c user.email=a@example.com -c commit.gpgsign=false commit -qm a && "
			if tc.noClone {
				run = ""
			}
			cmd := exec.Command("bash", "-c", run+".ci/mutants-changed report 1")
			cmd.Dir, cmd.Env = dir, append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
			out, err := cmd.CombinedOutput()
			if code := cmd.ProcessState.ExitCode(); code != tc.code || !strings.Contains(string(out), tc.want) {
				t.Errorf("code %d, %v\n%s", code, err, out)
			}
		})
	}
}

// With --jobs, the shards of each part of .ci/mutants run in parallel, each on its own cluster.
// Later parts get the records of all shards.
func TestMutantsInShards(t *testing.T) {
	for _, tc := range []struct {
		name, arguments, dratest string
		code                     int
		want                     []string
	}{
		{"one after the other", "--version 1.36 --resume", "", 0, []string{
			"\nprove mutants --report-dir out/kubelets --rest-of out/api,out/components --version 1.36\n",
			"--only scheduler-*,controllers-*,classic-*,fabric-*,whatif-*",
			"prove merge out/api out/components out/kubelets out/alpha out/gates out/kubelets-alpha\n",
		}},
		{"two at once", "--jobs 2", "", 0, []string{
			"2| prove mutants --report-dir out/kubelets-2 --rest-of out/api-1,out/api-2,out/components-1,out/components-2 --shard 2/2 --name dratest-mutants-2\n",
			"prove merge out/api-1 out/api-2 out/components-1",
		}},
		{"of one component", "--of kubelet", "", 0, []string{
			"\n== part kubelets\nprove mutants --report-dir out/kubelets --only kubelet-*\n",
			"prove mutants --report-dir out/kubelets-alpha --stack scheduler=stock,controllers=stock",
			"--rest-of out/kubelets --only kubelet-*\n",
			"prove merge out/kubelets out/kubelets-alpha\n",
		}},
		{"mutants are left", "--jobs 2", `case $* in *"-dir out/api-1 "*) exit 4 ;; *"-dir out/gates-2 "*) exit 1 ;; esac`, 0, []string{"prove merge"}},
		{"one cannot", "--jobs 2", `case $* in *"-dir out/components-1 "*) exit 3 ;; esac`, 3, []string{"2| prove mutants --report-dir out/components-2"}},
		{"it does not add up", "", `case $* in *merge*) exit 1 ;; esac`, 1, nil},
		{"ended", "--jobs 2 & echo $! >pid; wait $!", `case $* in *"-dir out/api-1 "*) sleep 0.3; kill -TERM $(cat pid); sleep 0.3; echo cleaned up ;; esac`, 130, []string{"== part api", "1| cleaned up"}},
		{"begun with two", "--jobs 2 >/dev/null && mkdir -p out/api-1 out/api-2 && exec .ci/mutants out --resume", "", 2, []string{"was begun with --jobs 2"}},
		{"no number", "--jobs many", "", 2, []string{"a number from 1 to 9"}},
		{"nothing there", "--jobs", "", 2, []string{"needs a value"}},
		{"unknown", "--only a", "", 2, []string{"--only: only"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			cmd := exec.Command("bash", "-c", ".ci/mutants out "+tc.arguments)
			cmd.Dir = checkout(t, ".ci/mutants", "echo \"$*\"\n"+tc.dratest)
			out, err := cmd.CombinedOutput()
			if code := cmd.ProcessState.ExitCode(); code != tc.code {
				t.Errorf("code %d, %v\n%s", code, err, out)
			}
			for _, text := range tc.want {
				if !strings.Contains(string(out), text) {
					t.Errorf("%q is missing in:\n%s", text, out)
				}
			}
		})
	}
}
