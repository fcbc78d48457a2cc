package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dra-conformance/dratest/clusters/command"
	"github.com/dra-conformance/dratest/framework/prove"
	"github.com/dra-conformance/dratest/reports/schema"
)

func TestFilesThatChangedLastComeFirst(t *testing.T) {
	repository := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		args = append([]string{"git", "-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"}, args...)
		if _, err := command.Run(t.Context(), command.Cmd{Args: args, Dir: repository}); err != nil {
			t.Fatal(err)
		}
	}
	write := func(file string) {
		t.Helper()
		file = filepath.Join(repository, file)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(t.Name()+file), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	git("init", "--quiet")
	for _, file := range []string{"checkout/before.go", "checkout/the first.go", "checkout/a/second.go", "elsewhere.go"} {
		write(file)
		git("add", ".")
		git("commit", "--quiet", "--message", file)
	}
	write("checkout/unknown.go")
	write("checkout/known.go")
	git("add", "checkout/known.go")

	dir := filepath.Join(repository, "checkout")
	got, err := changedFiles(t.Context(), dir, "HEAD~3")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"unknown.go", "known.go", "a/second.go", "the first.go"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	_, err = changedFiles(t.Context(), dir, "no-such-commit")
	if err == nil || exitCode(err) != codeUsage || !strings.Contains(err.Error(), "no-such-commit") {
		t.Errorf("a commit that there is not: %v", err)
	}
}

func TestMutantsThatNeedAnotherClusterAreNoFailureOfWhatHasChanged(t *testing.T) {
	killed := prove.Result{ID: "a", Finding: prove.Finding{Shown: true}}
	survives := prove.Result{ID: "b", Finding: prove.Finding{Missed: []string{"claims/one"}}}
	elsewhere := prove.Result{ID: "c", Finding: prove.Finding{Missed: []string{"claims/one"}, Unable: []string{"node/two"}}}
	for name, row := range map[string]struct {
		verdict schema.Verdict
		results []prove.Result
		code    int
	}{
		"all are killed":                {schema.Passed, []prove.Result{killed}, 0},
		"one survives":                  {schema.Failed, []prove.Result{killed, survives}, codeCasesFailed},
		"one needs another cluster":     {schema.Failed, []prove.Result{killed, elsewhere}, codeIncomplete},
		"one survives, one needs more":  {schema.Failed, []prove.Result{elsewhere, survives}, codeCasesFailed},
		"one is noticed, another would": {schema.Incomplete, []prove.Result{killed}, codeIncomplete},
	} {
		err := changedError(t.Context(), prove.Record{Verdict: row.verdict, Results: row.results}, nil)
		if code := exitCode(err); (err == nil) != (row.code == 0) || err != nil && code != row.code {
			t.Errorf("%s: code %d: %v", name, code, err)
		}
	}
}
