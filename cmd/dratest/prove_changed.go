package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/command"
	"github.com/dra-conformance/dratest/framework/prove"
	"github.com/dra-conformance/dratest/framework/prove/components"
	"github.com/dra-conformance/dratest/framework/prove/mutants"
	"github.com/dra-conformance/dratest/reports/schema"
)

// putChangedFirst has a proof of mutants begin with those, of the ones that only names, that are
// about what has changed since a commit in the checkout around the working folder, and watched
// by the cases that have; it returns their IDs. What the user can mend is an error with
// codeUsage.
func putChangedFirst(ctx context.Context, p *prove.Proof, ofComponents []components.Mutant, commit string, only []string) ([]string, error) {
	if commit == "" {
		return nil, withCode(codeUsage, errors.New("--changed-since needs a commit"))
	}
	named, err := prove.Select(p.Trials, only, prove.Shard{})
	if err != nil {
		return nil, withCode(codeUsage, err)
	}
	root, err := checkout("--changed-since needs a checkout of dratest around the working folder")
	if err != nil {
		return nil, err
	}
	files, err := changedFiles(ctx, root, commit)
	if err != nil {
		return nil, err
	}
	changed, err := mutants.Changed(prove.Proof{Trials: named, Watchers: p.Watchers}, ofComponents, os.DirFS(root), files)
	if err != nil {
		return nil, err
	}
	ids := prove.IDs(changed.Trials)
	others := slices.DeleteFunc(slices.Clone(p.Trials), func(t prove.Trial) bool { return slices.Contains(ids, t.ID) })
	p.Trials, p.Watchers = slices.Concat(changed.Trials, others), changed.Watchers
	return ids, nil
}

// changedFiles are the files below a folder of a git repository that have changed since a
// commit, relative to the folder: those that are not committed, then those of each commit,
// the last one first. A file may be there twice; what only a merge has changed is not there.
// That there is no such commit is an error with codeUsage.
func changedFiles(ctx context.Context, dir, commit string) ([]string, error) {
	var files []string
	for _, args := range [][]string{
		{"ls-files", "-z", "--others", "--exclude-standard"},
		{"diff", "-z", "--name-only", "--relative", "HEAD"},
		{"log", "-z", "--format=", "--name-only", "--relative", "--end-of-options", commit + "..HEAD", "--"},
	} {
		out, err := command.Run(ctx, command.Cmd{Args: append([]string{"git"}, args...), Dir: dir})
		switch {
		case err == nil:
		case command.NotFound(err):
			return nil, fmt.Errorf("%w: --changed-since asks git: install it: %w", clusters.ErrEnvironment, err)
		case args[0] == "log" && ctx.Err() == nil:
			return nil, withCode(codeUsage, fmt.Errorf("see what has changed since %s: %w", commit, err))
		default:
			return nil, fmt.Errorf("%w: ask git what has changed: %w", clusters.ErrEnvironment, err)
		}
		files = append(files, strings.FieldsFunc(out, func(r rune) bool { return r == 0 })...)
	}
	return files, nil
}

// changedError is proveError for mutants that were chosen without a look at what they need:
// those that no case noticed are not the proof's failure where more cases, which cannot run
// here, might have.
func changedError(ctx context.Context, r prove.Record, err error) error {
	var elsewhere []string
	for _, x := range r.Results {
		switch {
		case x.Shown || x.NotApplicable || x.Problem != "":
		case len(x.Unable) == 0:
			return proveError(ctx, r, err)
		default:
			elsewhere = append(elsewhere, x.ID)
		}
	}
	if r.Verdict != schema.Failed {
		return proveError(ctx, r, err)
	}
	return withCode(codeIncomplete, errors.Join(fmt.Errorf("no case that can run here notices %s; the others of theirs need another cluster", strings.Join(elsewhere, ", ")), err))
}
