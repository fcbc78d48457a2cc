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

package results_test

import (
	"errors"
	"flag"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/files"
	"github.com/dra-conformance/dratest/reports/results"
	"github.com/dra-conformance/dratest/reports/schema"
)

var rewrite = flag.Bool("rewrite", false, "write the golden table anew")

// run is the report of a real run.
const run = "../testdata/run"

// published is a repository with that report.
func published(t *testing.T) (repo, folder string) {
	t.Helper()
	repo = t.TempDir()
	folder, err := publish(t, run, repo)
	if err != nil {
		t.Fatal(err)
	}
	return repo, folder
}

func publish(t *testing.T, dir, repo string) (string, error) {
	t.Helper()
	from := open(t, dir)
	return results.Publish(from, repo)
}

func open(t *testing.T, dir string) files.Dir {
	t.Helper()
	d, err := files.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

func read(t *testing.T, repo string) ([]results.Result, string) {
	t.Helper()
	all, reasons, err := results.Read(open(t, repo))
	if err != nil {
		t.Fatal(err)
	}
	return all, strings.Join(reasons, "\n")
}

// copied is a copy of the report, changed.
func copied(t *testing.T, change func(*schema.ConformanceReport)) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(run)); err != nil {
		t.Fatal(err)
	}
	c, err := reports.ReadConformance(dir)
	if err != nil {
		t.Fatal(err)
	}
	change(&c)
	data, err := schema.EncodeConformance(c)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, reports.ConformanceFile), string(data))
	return dir
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestPublish(t *testing.T) {
	dir := copied(t, func(*schema.ConformanceReport) {})
	for _, name := range []string{reports.SignatureFile, "of-somebody.txt", ".lock"} {
		write(t, filepath.Join(dir, name), "x")
	}
	repo := t.TempDir()
	folder, err := publish(t, dir, repo)
	if err != nil || !strings.HasPrefix(folder, "results/example-distribution/v1.2.3/v1.37.1/") || len(path.Base(folder)) != 16 {
		t.Fatalf("%s, %v", folder, err)
	}
	c, err := reports.ReadConformance(filepath.Join(repo, folder))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{reports.ConformanceFile, reports.SignatureFile}
	for _, f := range c.AllFiles() {
		want = append(want, f.Path)
	}
	var got []string
	d := open(t, filepath.Join(repo, folder))
	for _, name := range want {
		if _, err := d.ReadFile(name); err == nil {
			got = append(got, name)
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	all, reasons := read(t, repo)
	if len(all) != 1 || all[0].Folder != folder || reasons != "" {
		t.Errorf("%v\n%s", all, reasons)
	}
	// It may be signed since. A signature that is there stays.
	write(t, filepath.Join(dir, reports.SignatureFile), "y")
	write(t, filepath.Join(dir, reports.BundleFile), "z")
	if again, err := publish(t, dir, repo); again != folder || err != nil {
		t.Errorf("%s, %v", again, err)
	}
	for name, want := range map[string]string{reports.SignatureFile: "x", reports.BundleFile: "z"} {
		if got, err := d.ReadFile(name); string(got) != want || err != nil {
			t.Errorf("%s: got %q, %v, want %q", name, got, err, want)
		}
	}
}

func TestUnfitReports(t *testing.T) {
	file := func(name string) func(*schema.ConformanceReport) {
		return func(c *schema.ConformanceReport) { c.Files[0].Path = name }
	}
	for name, tc := range map[string]struct {
		change func(*schema.ConformanceReport)
		want   string
	}{
		"no product":            {func(c *schema.ConformanceReport) { c.Implementation.Project = "" }, "--project"},
		"product is a path":     {func(c *schema.ConformanceReport) { c.Implementation.Project = "../.." }, `"../.." makes no directory name`},
		"no version":            {func(c *schema.ConformanceReport) { c.Implementation.Version = "" }, "--project-version"},
		"long version":          {func(c *schema.ConformanceReport) { c.Implementation.Version = strings.Repeat("1", 101) }, "makes no directory name"},
		"a selection":           {func(c *schema.ConformanceReport) { c.Profile = nil }, "no profile was judged"},
		"file outside":          {file("../x"), `"../x" is no file of a report`},
		"workflow":              {file(".github/workflows/x.yaml"), "is no file of a report"},
		"page of the directory": {file("README.md"), "is no file of a report"},
		"hidden evidence":       {file("cases/.git/config"), "is no file of a report"},
		"absolute":              {file("/etc/passwd"), "is no file of a report"},
		"file that is changed":  {func(c *schema.ConformanceReport) { c.Files[0].SHA256 = strings.Repeat("0", 64) }, "it was changed"},
	} {
		t.Run(name, func(t *testing.T) {
			repo := t.TempDir()
			_, err := publish(t, copied(t, tc.change), repo)
			if err == nil || !strings.Contains(err.Error(), tc.want) || errors.Is(err, results.ErrUnfit) == (name == "file that is changed") {
				t.Errorf("got %v, want %q", err, tc.want)
			}
			if all, reasons := read(t, repo); len(all) > 0 || reasons != "" {
				t.Errorf("left behind: %v, %s", all, reasons)
			}
		})
	}
}

// A product's name reaches no other directory, and no other repository.
func TestNamesAreFolders(t *testing.T) {
	for product, want := range map[string]string{
		"Example/../../x": "example-..-..-x", "..a..": "a", "é\x1b[2J ü|x": "x", ".git": "git", "K8s+1_2": "k8s+1_2",
	} {
		dir := copied(t, func(c *schema.ConformanceReport) { c.Implementation.Project = product })
		folder, err := publish(t, dir, t.TempDir())
		if err != nil || strings.Split(folder, "/")[1] != want {
			t.Errorf("%q: %s, %v", product, folder, err)
		}
	}
}

// A link in the repository leads nowhere else.
func TestLinksInTheRepository(t *testing.T) {
	repo, outside := t.TempDir(), t.TempDir()
	if err := os.Symlink(outside, filepath.Join(repo, results.Top)); err != nil {
		t.Fatal(err)
	}
	if _, err := publish(t, run, repo); err == nil {
		t.Error("published through a link")
	}
	if err := results.WriteTable(repo, []byte("x")); err == nil {
		t.Error("wrote the table through a link")
	}
	if _, _, err := results.Read(open(t, repo)); err == nil {
		t.Error("read through a link")
	}
	if left, _ := os.ReadDir(outside); len(left) > 0 {
		t.Errorf("%v", left)
	}
}

func TestReadFindsWhatNobodyPublished(t *testing.T) {
	for name, tc := range map[string]struct {
		do   func(t *testing.T, repo, folder string)
		want string
	}{
		"file beside the table":  {func(t *testing.T, repo, _ string) { write(t, filepath.Join(repo, "results/x.html"), "x") }, "results/x.html belongs to no report"},
		"file beside reports":    {func(t *testing.T, repo, f string) { write(t, filepath.Join(repo, path.Dir(f), "x"), "x") }, "/x belongs to no report"},
		"file in a report":       {func(t *testing.T, repo, f string) { write(t, filepath.Join(repo, f, "x.sh"), "x") }, ": x.sh is not in the report"},
		"evidence in a report":   {func(t *testing.T, repo, f string) { write(t, filepath.Join(repo, f, "cases/core.a/x"), "x") }, ": cases/core.a/x is not in the report"},
		"no report":              {func(t *testing.T, repo, _ string) { write(t, filepath.Join(repo, "results/a/b/c/d/report.json"), "{}") }, "results/a/b/c/d: "},
		"report of other things": {func(t *testing.T, repo, f string) { move(t, repo, f, "results/other/v1.2.3/v1.37.1/"+path.Base(f)) }, "it belongs to results/example-distribution"},
		"report by another name": {func(t *testing.T, repo, f string) { move(t, repo, f, path.Dir(f)+"/0123456789abcdef") }, "it belongs to results/example-distribution"},
		"changed report": {func(t *testing.T, repo, f string) {
			name := filepath.Join(repo, f, reports.ConformanceFile)
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			write(t, name, strings.Replace(string(data), "result: failed", "result: passed", 1))
		}, "it belongs to results/example-distribution"},
		"link": {func(t *testing.T, repo, f string) {
			if err := os.Symlink("/etc/passwd", filepath.Join(repo, f, "passwd")); err != nil {
				t.Fatal(err)
			}
		}, "/passwd is a link or a special file"},
		"link to a directory": {func(t *testing.T, repo, _ string) {
			if err := os.Symlink("example-distribution", filepath.Join(repo, "results/again")); err != nil {
				t.Fatal(err)
			}
		}, "results/again is a link or a special file"},
		"FIFO": {func(t *testing.T, repo, f string) {
			if err := syscall.Mkfifo(filepath.Join(repo, f, "fifo"), 0o600); err != nil {
				t.Fatal(err)
			}
		}, "/fifo is a link or a special file"},
	} {
		t.Run(name, func(t *testing.T) {
			repo, folder := published(t)
			write(t, filepath.Join(repo, "results/README.md"), "x")
			if _, reasons := read(t, repo); reasons != "" {
				t.Fatal(reasons)
			}
			tc.do(t, repo, folder)
			if _, reasons := read(t, repo); !strings.Contains(reasons, tc.want) {
				t.Errorf("want %q in:\n%s", tc.want, reasons)
			}
		})
	}
}

func move(t *testing.T, repo, from, to string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(repo, path.Dir(to)), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(repo, from), filepath.Join(repo, to)); err != nil {
		t.Fatal(err)
	}
}

func TestTable(t *testing.T) {
	day := func(d int) time.Time { return time.Date(2026, 11, d, 12, 0, 0, 0, time.UTC) }
	of := func(digest, product, version, kubernetes string, result schema.Result, ended time.Time) results.Result {
		r := results.Result{Folder: "results/p/v/k/" + digest}
		r.Report.Implementation = schema.Implementation{Project: product, Version: version}
		r.Report.Profile = &schema.RunProfile{Name: spec.ClusterTarget, Version: "v1"}
		r.Report.Cluster.Kubernetes, r.Report.Result, r.Report.Run.Ended = kubernetes, result, ended
		return r
	}
	certified := of("e", "gpu driver", "v1.9.0", "v1.37.1", schema.ResultPassed, day(4))
	certified.Report.Certificate = &schema.Certificate{Expires: day(4).AddDate(1, 0, 0)}
	all := []results.Result{
		of("a", "Distribution", "v1.10", "v1.37.1", schema.ResultPassed, day(1)), of("b", "Distribution", "v1.9", "v1.37.1", schema.ResultPassed, day(2)),
		of("c", "Distribution", "v1.10", "v1.38.0", schema.ResultFailed, day(3)), of("d", "Distribution", "v1.10", "v1.37.1", schema.ResultIncomplete, day(2)),
		of("g", "Distribution", "v1.10", "v1.38.0-beta.0", schema.ResultPassed, day(5)),
		certified, of("f", "a [link](javascript:x) | <b>`x`</b> @you\n# title WWW.example.com", "(devel)", "v1.37.1", schema.ResultPassed, day(1)),
	}
	slices.SortFunc(all, results.Compare)
	got := string(results.Markdown(all))
	const golden = "testdata/README.md"
	if *rewrite {
		write(t, golden, got)
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Error(d)
	}
}
