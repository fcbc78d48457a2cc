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
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

var runDocs = flag.Bool("docs", false, "run the commands of README.md and docs; this creates clusters and takes up to an hour")

// The first line of a fenced block says what TestDocs does with it:
//
//	```bash run       run it; it must succeed
//	```bash run=4     run it; its last command must exit with 4
//	```console run    run the lines that begin with "$ " and compare the lines after each with its output;
//	                  with run=1, the last one must exit with 1
//	```text output    compare with the output of the block above
//
// "..." stands for any text in a line, and alone for any number of lines. White space and durations may
// differ. A comment "<!-- run", on lines of its own, has commands that readers need not see.
//
// The commands of a page share a shell in a fresh clone of HEAD, with an empty home directory and the
// programs in bin. Clusters and background processes left by a page are removed.

// step is a piece of a page to run.
type step struct {
	line     int
	command  string
	code     int
	output   string
	compared bool
}

var fence = regexp.MustCompile("^```([a-z]*)(?: (run|output)(?:=([0-9]+))?)?$")

// parseCommands returns the marked steps of a page.
func parseCommands(page string) (steps []step, err error) {
	lines := strings.Split(page, "\n")
	for i := 0; i < len(lines); i++ {
		first, text := i+1, strings.TrimLeft(lines[i], " ")
		indent := strings.TrimSuffix(lines[i], text)
		language, mark, code, end := "bash", "run", 0, "-->"
		if text != "<!-- run" {
			if !strings.HasPrefix(text, "```") {
				continue
			}
			found := fence.FindStringSubmatch(text)
			if found == nil {
				return nil, fmt.Errorf("line %d: unknown mark of a block: %s", first, text)
			}
			language, mark, end = found[1], found[2], "```"
			code, _ = strconv.Atoi(found[3])
		}
		var body strings.Builder
		for i++; i < len(lines) && strings.TrimSpace(lines[i]) != end; i++ {
			body.WriteString(strings.TrimPrefix(lines[i], indent) + "\n")
		}
		switch {
		case language == "bash" && mark == "run":
			steps = append(steps, step{line: first, command: body.String(), code: code})
		case language == "console" && mark == "run":
			steps = append(steps, parseConsole(first, code, body.String())...)
		case language == "text" && mark == "output" && len(steps) > 0:
			last := &steps[len(steps)-1]
			last.output, last.compared = body.String(), true
		case mark != "":
			return nil, fmt.Errorf("line %d: unexpected mark of a block: %s", first, text)
		}
	}
	return steps, nil
}

// parseConsole splits a block into commands with their outputs.
func parseConsole(line, code int, body string) (steps []step) {
	for text := range strings.Lines(body) {
		line++
		if command, ok := strings.CutPrefix(text, "$ "); ok {
			steps = append(steps, step{line: line, command: command, compared: true})
		} else if len(steps) > 0 {
			steps[len(steps)-1].output += text
		}
	}
	if len(steps) > 0 {
		steps[len(steps)-1].code = code
	}
	return steps
}

var (
	space    = regexp.MustCompile(`[ \t]+`)
	duration = regexp.MustCompile(`\b[0-9.]+(ms|s|m|h)\b`)
)

// sameOutput reports whether an output is as a page shows it.
func sameOutput(page, output string) bool {
	var pattern strings.Builder
	for _, line := range normalLines(page) {
		if line == "..." {
			pattern.WriteString(`(.*\n)*?`)
			continue
		}
		pattern.WriteString(strings.ReplaceAll(regexp.QuoteMeta(line), `\.\.\.`, `.*`) + `\n`)
	}
	var text strings.Builder
	for _, line := range normalLines(output) {
		text.WriteString(line + "\n")
	}
	return regexp.MustCompile(`^` + pattern.String() + `$`).MatchString(text.String())
}

func normalLines(text string) (lines []string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(space.ReplaceAllString(line, " ")); line != "" {
			lines = append(lines, duration.ReplaceAllString(line, "0s"))
		}
	}
	return lines
}

// pageStart and pageEnd surround the steps of a page. Steps report their start and exit code on
// lines that begin with the record separator.
const pageStart = `set -euo pipefail
at_exit() {
	kill $(jobs -p) 2>/dev/null || true
	"$CLONE/bin/dratest" cluster delete --all
}
trap at_exit EXIT
`

func pageScript(steps []step) string {
	var script strings.Builder
	script.WriteString(pageStart)
	for i, s := range steps {
		fmt.Fprintf(&script, "printf '\\n\\036start %d\\n'\nset +e%s\n%s\nprintf '\\n\\036end %%d\\n' $?\n", i,
			map[bool]string{true: "; set -e"}[s.code == 0], strings.TrimSpace(s.command))
	}
	return script.String() + "set -e\n"
}

// pages are the documents with steps.
func pages(t *testing.T) map[string][]step {
	t.Helper()
	all := map[string][]step{}
	for _, pattern := range []string{"README.md", "docs/*.md", "docs/findings/*.md"} {
		names, _ := filepath.Glob(pattern)
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			steps, err := parseCommands(string(text))
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if len(steps) > 0 {
				all[name] = steps
			}
		}
	}
	return all
}

// Each page with marked commands is a valid script. With -docs, it is run.
func TestDocs(t *testing.T) {
	all := pages(t)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		steps := all[name]
		t.Run(strings.TrimSuffix(filepath.Base(name), ".md"), func(t *testing.T) {
			script := filepath.Join(t.TempDir(), "page.sh")
			if err := os.WriteFile(script, []byte(pageScript(steps)), 0o600); err != nil {
				t.Fatal(err)
			}
			if !*runDocs {
				if out, err := exec.Command("bash", "-n", script).CombinedOutput(); err != nil {
					t.Errorf("%s: %v\n%s", name, err, out)
				}
				return
			}
			page := &running{t: t, name: name, steps: steps, at: -1}
			cmd := exec.Command("bash", script)
			cmd.Dir, cmd.Env = freshClone(t)
			cmd.Stdout, cmd.Stderr, cmd.WaitDelay = page, page, time.Minute
			if err := cmd.Run(); err != nil || page.at >= 0 {
				t.Errorf("%s: the page ended early (%v)", name, err)
			}
		})
	}
}

// freshClone returns a clone of HEAD with the programs in bin, and the environment of a page.
func freshClone(t *testing.T) (dir string, env []string) {
	t.Helper()
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	top := t.TempDir()
	dir = filepath.Join(top, "clone")
	for _, command := range []string{"git clone --quiet " + here + " " + dir, "cp -r bin " + dir, "mkdir " + top + "/home"} {
		if out, err := exec.Command("bash", "-c", command).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", command, err, out)
		}
	}
	goenv, err := exec.Command("go", "env", "GOPATH", "GOCACHE", "GOENV").Output()
	if err != nil {
		t.Fatal(err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	values := strings.Fields(string(goenv))
	for _, entry := range os.Environ() {
		if !strings.HasPrefix(entry, "KUBECONFIG=") && !strings.HasPrefix(entry, "ARTIFACTS=") {
			env = append(env, entry)
		}
	}
	return dir, append(env, "CLONE="+dir, "HOME="+top+"/home", "DRATEST_STATE="+top+"/clusters", "XDG_CACHE_HOME="+cache, "PATH="+dir+"/bin:"+os.Getenv("PATH"),
		"GOPATH="+values[0], "GOCACHE="+values[1], "GOENV="+values[2],
		// Whoever clones the project gets this HEAD.
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=url."+here+".insteadOf", "GIT_CONFIG_VALUE_0=https://github.com/dra-conformance/dratest")
}

// running prints what a page prints and judges its steps.
type running struct {
	t      *testing.T
	name   string
	steps  []step
	at     int
	began  time.Time
	output bytes.Buffer
	rest   []byte
}

func (r *running) Write(p []byte) (int, error) {
	r.rest = append(r.rest, p...)
	for {
		line, rest, whole := bytes.Cut(r.rest, []byte("\n"))
		if !whole {
			return len(p), nil
		}
		r.line(string(line))
		r.rest = rest
	}
}

func (r *running) line(line string) {
	event, ok := strings.CutPrefix(line, "\036")
	if !ok {
		fmt.Println("   |", line)
		r.output.WriteString(line + "\n")
		return
	}
	kind, value, _ := strings.Cut(event, " ")
	number, _ := strconv.Atoi(value)
	if kind == "start" {
		r.at, r.began = number, time.Now()
		r.output.Reset()
		command, _, _ := strings.Cut(r.steps[number].command, "\n")
		fmt.Printf("== %s:%d: %s\n", r.name, r.steps[number].line, command)
		return
	}
	s, result := r.steps[r.at], "ok"
	where := fmt.Sprintf("%s:%d", r.name, s.line)
	if number != s.code {
		result = "FAIL"
		r.t.Errorf("%s: expected exit code %d, got %d", where, s.code, number)
	} else if s.compared && !sameOutput(s.output, r.output.String()) {
		result = "FAIL"
		r.t.Errorf("%s: expected output\n%s\ngot\n%s", where, s.output, r.output.String())
	}
	fmt.Printf("%-4s %s %.1fs\n", result, where, time.Since(r.began).Seconds())
	r.at = -1
}

func TestCommandsOfAPage(t *testing.T) {
	page := "<!-- run\na\n-->\n```bash run=4\nb\n```\n```text output\nx ... 3s\n```\n- c\n  ```console run=1\n  $ d\n  y\n  $ e\n  ```\n```\nf\n```\n"
	got, err := parseCommands(page)
	want := []step{{line: 1, command: "a\n"}, {4, "b\n", 4, "x ... 3s\n", true}, {12, "d\n", 0, "y\n", true}, {14, "e\n", 1, "", true}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("expected %v, got %v, %v", want, got, err)
	}
	for _, page := range []string{"```text output\n```", "```bash run=x\n```", "```yaml run\n```", "```bash runs\n```"} {
		if got, err := parseCommands(page); err == nil {
			t.Errorf("%q: expected an error, got %v", page, got)
		}
	}
}

func TestSameOutput(t *testing.T) {
	for _, tc := range []struct {
		page, output string
		same         bool
	}{
		{"a  b 12s\n", "\na b 1m\n", true},
		{"a ... c\n", "a b c\n", true},
		{"...\nb\n...\n", "a\nb\nc\nd\n", true},
		{"...\n", "", true},
		{"", "\n", true},
		{"a\n", "a\nb\n", false},
		{"a\n", "", false},
		{"a.c\n", "abc\n", false},
	} {
		if got := sameOutput(tc.page, tc.output); got != tc.same {
			t.Errorf("%q and %q: expected %v", tc.page, tc.output, tc.same)
		}
	}
}
