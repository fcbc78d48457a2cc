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
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/versions"
	"github.com/dra-conformance/dratest/framework/plan"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/schema"
)

// runOf writes the report of a run of a product.
func runOf(t *testing.T, dir string, product schema.Implementation) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	w := where{provider: clusters.ProviderKind, kubernetes: versions.Newest().Kubernetes, whose: spec.Stock}
	p := w.planned(t)
	r := w.write(t, dir, p, outcomes(p))
	if _, err := reports.Seal(dir, r, outcomes(p), reports.Facts{Implementation: product, Required: known()[schema.EngineRun].Required}); err != nil {
		t.Fatal(err)
	}
}

func TestPublishAndTable(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.MkdirAll("repo/.git", 0o755); err != nil {
		t.Fatal(err)
	}
	runOf(t, "nameless", schema.Implementation{})
	runOf(t, "good", schema.Implementation{Project: "Example", Version: "v1.2.3"})
	runOf(t, "matrix/a", schema.Implementation{Project: "Example", Version: "v1.3.0"})
	runOf(t, "matrix/b", schema.Implementation{Project: "Example", Version: "v1.4.0"})
	runOf(t, "edited", schema.Implementation{Project: "Example", Version: "v1.2.4"})
	if err := os.Remove("edited/" + reports.HTMLFile); err != nil {
		t.Fatal(err)
	}
	w := where{provider: clusters.ProviderKind, kubernetes: versions.Newest().Kubernetes, whose: spec.Stock, filter: plan.Filter{Focus: []string{"^core/"}}}
	if err := os.Mkdir("selection", 0o755); err != nil {
		t.Fatal(err)
	}
	p := w.planned(t)
	w.write(t, "selection", p, outcomes(p))
	run := func(code int, want string, args ...string) string {
		t.Helper()
		out, got := execute(t, append([]string{"report"}, args...)...)
		if got != code || !strings.Contains(out, want) {
			t.Errorf("%v: exit code %d, want %d; %q is not in:\n%s", args, got, code, want, out)
		}
		return out
	}
	run(codeUsage, "makes no directory name for the product", "publish", "nameless", "repo")
	run(codeUsage, "no profile was judged", "publish", "selection", "repo")
	run(codeCasesFailed, "report.html is missing", "publish", "edited", "repo")
	run(codeUsage, "nowhere does not exist", "publish", "nowhere", "repo")
	run(codeUsage, "nowhere", "publish", "good", "nowhere")
	run(codeCasesFailed, "results/README.md is missing", "table", "repo", "--check")
	folder := strings.TrimSpace(run(0, "results/example/v1.2.3/"+w.kubernetes+"/", "publish", "good", "repo"))
	run(0, "results/example/v1.4.0/", "publish", "matrix", "repo")
	run(0, folder, "publish", "good", "repo")
	run(0, "3 report(s) hold", "table", "repo", "--check")
	if table := run(0, "| Example | v1.4.0 | "+w.kubernetes+" | cluster v", "table", "repo"); table != readFile(t, "repo/results/README.md") {
		t.Errorf("README.md is not the table:\n%s", table)
	}
	if err := os.WriteFile("repo/results/README.md", []byte("| Example | passed |"), 0o600); err != nil {
		t.Fatal(err)
	}
	run(codeCasesFailed, "results/README.md is not what", "table", "repo", "--check")
	if err := os.WriteFile(filepath.Join("repo", folder, reports.MarkdownFile), []byte("passed"), 0o600); err != nil {
		t.Fatal(err)
	}
	run(codeCasesFailed, "report.md is truncated or changed", "table", "repo", "--check")
	run(codeCasesFailed, "report.md is truncated or changed", "publish", "good", "repo")
	if err := os.WriteFile(filepath.Join("repo", folder, "x\x1b[2J"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if out := run(codeCasesFailed, "is not in the report", "table", "repo", "--check"); strings.Contains(out, "\x1b") {
		t.Errorf("%q", out)
	}
}

// The results published in this repository hold, and are small enough for every clone.
func TestPublishedResults(t *testing.T) {
	const repository, most = "../..", 2_000_000
	if out, code := execute(t, "report", "table", repository, "--check"); code != 0 {
		t.Errorf("exit code %d: %s", code, out)
	}
	size := int64(0)
	err := filepath.WalkDir(filepath.Join(repository, "results"), func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			size += info.Size()
		}
		return err
	})
	if err != nil || size > most {
		t.Errorf("results has %d bytes, and may have %d: %v", size, most, err)
	}
}
