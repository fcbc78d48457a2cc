package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/command"
	"github.com/dra-conformance/dratest/clusters/images/own"
	"github.com/dra-conformance/dratest/suites/prove"
	"github.com/dra-conformance/dratest/suites/prove/components"
	"github.com/dra-conformance/dratest/suites/prove/mutants"
)

// changedProof is the part of a proof of mutants, of those that only names, that is about what
// has changed since a commit in the checkout around the working folder.
func changedProof(ctx context.Context, p prove.Proof, ofComponents []components.Mutant, commit string, only []string) (prove.Proof, error) {
	var err error
	if p.Trials, err = prove.Select(p.Trials, only, prove.Shard{}); err != nil {
		return p, withCode(codeUsage, err)
	}
	root, err := own.Checkout(own.Where{})
	if err == nil && root == "" {
		err = fmt.Errorf("%w: --changed-since needs a checkout of dratest around the working folder", clusters.ErrEnvironment)
	}
	if err != nil {
		return p, err
	}
	files, err := changedFiles(ctx, root, commit)
	if err != nil {
		return p, err
	}
	return mutants.Changed(p, ofComponents, os.DirFS(root), files)
}

// changedFiles are the files below a folder of a git repository that have changed since a
// commit, relative to the folder: those that are not committed, then those of each commit,
// the last one first. A file may be there twice.
func changedFiles(ctx context.Context, dir, commit string) ([]string, error) {
	var files []string
	for _, args := range [][]string{
		{"ls-files", "--others", "--exclude-standard"},
		{"diff", "--name-only", "--relative", "HEAD"},
		{"log", "--format=", "--name-only", "--relative", "--end-of-options", commit + "..HEAD", "--"},
	} {
		out, err := command.Run(ctx, command.Cmd{Args: append([]string{"git"}, args...), Dir: dir})
		if command.NotFound(err) {
			return nil, fmt.Errorf("%w: --changed-since asks git: install it: %w", clusters.ErrEnvironment, err)
		}
		if err != nil {
			return nil, withCode(codeUsage, fmt.Errorf("see what has changed since %s: %w", commit, err))
		}
		files = append(files, strings.Fields(out)...)
	}
	return files, nil
}
