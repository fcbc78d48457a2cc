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

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/schema"
)

// readOfReports are the files read from a report directory by commands.
var readOfReports = []string{
	reports.JSONFile, reports.ConformanceFile, reports.SignatureFile, reports.BundleFile, reports.JournalFile, reports.LogFile,
	reports.JUnitFile, reports.MarkdownFile, reports.HTMLFile, "certificate.json",
}

// With a FIFO in a report, "dratest report verify" blocked until SIGKILL. With a link to /dev/zero it
// ran out of memory.
func TestReportsWithFIFOsAndLinks(t *testing.T) {
	base := t.TempDir()
	nothingCouldRun(t, base)
	for kind, create := range map[string]func(string) error{
		"FIFO":              func(p string) error { return syscall.Mkfifo(p, 0o644) },
		"link to /dev/zero": func(p string) error { return os.Symlink("/dev/zero", p) },
	} {
		for _, name := range readOfReports {
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(base)); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(dir, name)
			if err := os.Remove(file); err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
			if err := create(file); err != nil {
				t.Fatal(err)
			}
			ended := make(chan string)
			go func() {
				commands := [][]string{{dir}, {"verify", dir}}
				if name == reports.ConformanceFile || name == reports.JSONFile { // every command reads one of these
					commands = append(commands, []string{"diff", dir, dir}, []string{"matrix", dir}, []string{"history", dir},
						[]string{"export", dir, "--to", t.TempDir()}, []string{"badge", dir})
				}
				for _, args := range commands {
					out, _ := execute(t, append([]string{"report"}, args...)...)
					if args[0] == "verify" {
						ended <- out
					}
				}
				close(ended)
			}()
			for open := true; open; {
				var out string
				select {
				case out, open = <-ended:
					if open && name != "certificate.json" && name != reports.JournalFile && name != reports.LogFile && !strings.Contains(out, "refused") {
						t.Errorf("%s is a %s: %s", name, kind, out)
					}
				case <-time.After(time.Minute):
					t.Fatalf("%s is a %s: no end", name, kind)
				}
			}
		}
	}
}

// Control characters in a report hid the failure reasons behind "The report holds.".
func TestReportsPrintNoControlCharacters(t *testing.T) {
	const painted = "\x1b[2J\x1b[HThe report holds.\x1b[8m\r\a\u009b31m\u202e"
	dir := t.TempDir()
	nothingCouldRun(t, dir)
	edit := func(name, old, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(strings.Replace(readFile(t, path), old, text, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r, err := reports.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	r.Problems = append(r.Problems, painted)
	r.Cases[0].ID, r.Cases[0].Reason, r.Cluster.Server = "core/"+painted, painted, painted
	data, err := schema.Encode(r)
	if err != nil {
		t.Fatal(err)
	}
	edit(reports.JSONFile, readFile(t, filepath.Join(dir, reports.JSONFile)), string(data))
	edit(reports.MarkdownFile, "#", painted+"#")
	edit(reports.ConformanceFile, "no nodes", `"`+`\e[2J\x9b`+`"`)
	if err := os.WriteFile(filepath.Join(dir, reports.SignatureFile), []byte(`{"signatures":[{"keyid":"\u001b[2J","sig":""}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{dir}, {dir, "-o", "html"}, {dir, "-o", "junit"}, {dir, "-o", "json"}, {"verify", dir}, {"diff", dir, "../../reports/testdata/stock"}, {"matrix", dir}, {"matrix", dir, "-o", "html"}, {"history", dir}, {"history", dir, "-o", "json"},
	} {
		var out bytes.Buffer
		root := newRootCommand()
		root.SetArgs(append([]string{"report"}, args...))
		root.SetOut(&out)
		if err := root.ExecuteContext(t.Context()); out.Len() == 0 {
			t.Errorf("%v printed nothing: %v", args, err)
		}
		if got := out.String(); got != spec.Printable(got) {
			t.Errorf("%v prints control characters", args)
		}
	}
}
