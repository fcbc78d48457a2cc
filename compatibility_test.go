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
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var freeze = flag.Bool("freeze", false, "write testdata/released for the next release")

// released is the directory with the interfaces of the last release.
const released = "testdata/released"

// inputs are the schemas of files written by users, outputs those of files written by dratest.
var (
	inputs  = []string{"drivers/declarations/driver.schema.json"}
	outputs = []string{"reports/schema/report.schema.json", "reports/schema/conformance-report.schema.json", "reports/schema/timeline.schema.json"}
)

const (
	vendorAPI = "./suites/vendortest"
	howto     = "%s\n\tRestore it, or name %q under \"### Breaking\" in the section Unreleased of CHANGELOG.md."
)

// TestCompatibility compares the interfaces in docs/compatibility.md with those of the last release. CHANGELOG.md must
// name each breaking change. CONTRIBUTING.md explains -freeze.
func TestCompatibility(t *testing.T) {
	flags, api := commandFlags(t), filepath.Join(released, "vendortest.api")
	if *freeze {
		for _, file := range slices.Concat(inputs, outputs) {
			freezeFile(t, filepath.Base(file), read(t, file))
		}
		freezeFile(t, "flags.txt", strings.Join(flags, "\n")+"\n")
		apidiff(t, "-w", api, vendorAPI)
	}
	changelog := read(t, "CHANGELOG.md")
	_, changelog, _ = strings.Cut(changelog, "\n## Unreleased\n")
	changelog, _, _ = strings.Cut(changelog, "\n## ")
	_, breaking, _ := strings.Cut(changelog, "\n### Breaking\n")
	breaking, _, _ = strings.Cut(breaking, "\n### ")
	broken := func(what, name string) {
		if !strings.Contains(breaking, "`"+name+"`") {
			t.Errorf(howto, what, "`"+name+"`")
		}
	}
	for _, file := range slices.Concat(inputs, outputs) {
		before, now := read(t, filepath.Join(released, filepath.Base(file))), read(t, file)
		for _, b := range schemaBreaks(t, before, now, slices.Contains(inputs, file)) {
			broken(file+": "+b.what, b.name)
		}
	}
	for flag := range strings.Lines(read(t, filepath.Join(released, "flags.txt"))) {
		if flag = strings.TrimSpace(flag); !slices.Contains(flags, flag) {
			broken("no command and flag "+flag, flag)
		}
	}
	for line := range strings.Lines(apidiff(t, "-incompatible", api, vendorAPI)) {
		if name, _, found := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "- "), ": "); found {
			broken("suites/vendortest: "+strings.TrimSpace(line), "vendortest."+name)
		}
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func freezeFile(t *testing.T, name, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(released, name), []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func apidiff(t *testing.T, arguments ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"tool", "-modfile=go.tools.mod", "apidiff"}, arguments...)...)
	var problem strings.Builder
	cmd.Stderr = &problem
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v: %s", cmd, err, problem.String())
	}
	return string(out)
}

// commandFlags returns each command in docs/cli, alone and with each of its flags: "dratest run --focus".
func commandFlags(t *testing.T) (flags []string) {
	t.Helper()
	pages, _ := filepath.Glob("docs/cli/*.md")
	heading, option := regexp.MustCompile(`(?m)^#+ (dratest .*)$`), regexp.MustCompile(`(?m)^ +(?:-[a-zA-Z], )?(--[a-z0-9-]+)`)
	for _, page := range pages {
		text := read(t, page)
		found := heading.FindAllStringSubmatchIndex(text, -1)
		for i, at := range found {
			end := len(text)
			if i+1 < len(found) {
				end = found[i+1][0]
			}
			command := text[at[2]:at[3]]
			flags = append(flags, command)
			_, section, _ := strings.Cut(text[at[1]:end], "\nFlags:\n")
			for _, f := range option.FindAllStringSubmatch(section, -1) {
				flags = append(flags, command+" "+f[1])
			}
		}
	}
	slices.Sort(flags)
	if flags = slices.Compact(flags); len(flags) < 200 {
		t.Fatalf("expected at least 200 commands and flags in docs/cli, got %d", len(flags))
	}
	return flags
}

// breach is a change that breaks users, with the name of the field or version.
type breach struct{ what, name string }

// schemaBreaks lists the changes between two schemas of a file that break its writers (of an input) or its readers. If the
// version of the file changed, that is the only one.
func schemaBreaks(t *testing.T, before, now string, input bool) (breaks []breach) {
	t.Helper()
	var schemas [2]map[string]any
	for i, text := range []string{before, now} {
		if err := json.Unmarshal([]byte(text), &schemas[i]); err != nil {
			t.Fatal(err)
		}
	}
	if was, is := schemas[0]["$id"], schemas[1]["$id"]; was != is {
		name := strings.TrimSuffix(filepath.Base(fmt.Sprint(was)), ".json")
		return []breach{{fmt.Sprintf("version %v was replaced by %v", was, is), name}}
	}
	add := func(name, format string, arguments ...any) {
		breaks = append(breaks, breach{name + ": " + fmt.Sprintf(format, arguments...), name})
	}
	var compare func(name string, before, now map[string]any)
	compare = func(name string, before, now map[string]any) {
		for _, key := range []string{"type", "$ref"} {
			if before[key] != nil && before[key] != now[key] {
				add(name, "%s %v became %v", key, before[key], now[key])
			}
		}
		for _, key := range []string{"enum", "additionalProperties", "pattern", "format", "minimum", "minItems"} {
			if input && stricter(before[key], now[key]) {
				add(name, "%s %v became %v", key, before[key], now[key])
			}
		}
		was, is := strs(before["required"]), strs(now["required"])
		if input {
			was, is = is, was
		}
		for _, field := range was {
			if !slices.Contains(is, field) {
				add(join(name, field), "%s", map[bool]string{true: "is now required", false: "is no longer always set"}[input])
			}
		}
		for _, value := range strs(before["enum"]) {
			if input && now["enum"] != nil && !slices.Contains(strs(now["enum"]), value) {
				add(name, "value %q is no longer accepted", value)
			}
		}
		for _, key := range []string{"properties", "$defs"} {
			fields, _ := before[key].(map[string]any)
			others, _ := now[key].(map[string]any)
			for _, field := range slices.Sorted(maps.Keys(fields)) {
				old, _ := fields[field].(map[string]any)
				if other, ok := others[field].(map[string]any); ok {
					compare(join(name, field), old, other)
				} else if key == "properties" && others[field] == nil {
					add(join(name, field), "is gone")
				}
			}
		}
		for _, key := range []string{"items", "additionalProperties"} {
			old, _ := before[key].(map[string]any)
			if other, ok := now[key].(map[string]any); ok && old != nil {
				compare(name, old, other)
			}
		}
	}
	compare("", schemas[0], schemas[1])
	return breaks
}

// stricter reports whether fewer values fulfill a constraint than before, as far as known: elements of lists are
// compared elsewhere.
func stricter(before, now any) bool {
	switch now := now.(type) {
	case nil:
		return false
	case bool: // additionalProperties
		return !now && before != false
	case float64:
		was, ok := before.(float64)
		return !ok || now > was
	case string:
		return before != now
	}
	return before == nil
}

func join(name, field string) string { return strings.TrimPrefix(name+"."+field, ".") }

func strs(list any) (all []string) {
	values, _ := list.([]any)
	for _, value := range values {
		all = append(all, fmt.Sprint(value))
	}
	return all
}

func TestSchemaBreaks(t *testing.T) {
	const before = `{"$id": "https://a/report-v1.json", "required": ["a"], "properties": {"a": {"type": "string", "enum": ["x", "y"]},
		"b": {"type": "array", "items": {"properties": {"c": {"type": "string"}}}}, "d": {"$ref": "#/$defs/D"}},
		"$defs": {"D": {"properties": {"e": {"type": "integer"}}}}}`
	for _, tc := range []struct {
		name, from, to  string
		writers, reader string
	}{
		{"nothing", "", "", "", ""},
		{"an optional field is added", `"a": {"type"`, `"new": {}, "a": {"type"`, "", ""},
		{"a field is gone", `"c": {"type": "string"}`, ``, "b.c", "b.c"},
		{"a field of a definition is gone", `"e": {"type": "integer"}`, ``, "D.e", "D.e"},
		{"a type changed", `{"type": "integer"}`, `{"type": "string"}`, "D.e", "D.e"},
		{"a field became required", `["a"]`, `["a", "b"]`, "b", ""},
		{"a field became optional", `["a"]`, `[]`, "", "a"},
		{"a value is gone", `["x", "y"]`, `["x"]`, "a", ""},
		// Tighter constraints reject files of users, and were not seen.
		{"unknown fields are rejected", `{"c": {"type": "string"}}`, `{"c": {"type": "string"}}, "additionalProperties": false`, "b", ""},
		{"only some values are accepted", `"c": {"type": "string"`, `"c": {"type": "string", "enum": ["z"]`, "b.c", ""},
		{"a pattern is required", `"c": {"type": "string"`, `"c": {"type": "string", "pattern": "z"`, "b.c", ""},
		{"more values are accepted", `, "enum": ["x", "y"]`, ``, "", ""},
		{"fewer values are accepted", `"type": "integer"`, `"type": "integer", "minimum": 1`, "D.e", ""},
		{"a new version", `report-v1`, `report-v2`, "report-v1", "report-v1"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			now := strings.Replace(before, tc.from, tc.to, 1)
			for input, want := range map[bool]string{true: tc.writers, false: tc.reader} {
				var names []string
				for _, b := range schemaBreaks(t, before, now, input) {
					names = append(names, b.name)
				}
				if strings.Join(names, " ") != want {
					t.Errorf("input %v: expected %q, got %q", input, want, names)
				}
			}
		})
	}
}
