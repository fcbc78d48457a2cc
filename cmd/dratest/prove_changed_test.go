package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dra-conformance/dratest/clusters/command"
)

func TestFilesThatChangedLastComeFirst(t *testing.T) {
	repository := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		args = append([]string{"git", "-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)
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
	for _, file := range []string{"checkout/before.go", "checkout/first.go", "checkout/a/second.go", "elsewhere.go"} {
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
	if diff := cmp.Diff([]string{"unknown.go", "known.go", "a/second.go", "first.go"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	_, err = changedFiles(t.Context(), dir, "no-such-commit")
	if err == nil || exitCode(err) != codeUsage || !strings.Contains(err.Error(), "no-such-commit") {
		t.Errorf("a commit that there is not: %v", err)
	}
}
