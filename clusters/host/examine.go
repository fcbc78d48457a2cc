package host

import (
	"context"
	"fmt"
	"slices"
)

// state is a machine with its rows.
type state struct {
	facts facts
	rows  []Row
}

// examine gathers and judges. If clusters are only to be run, the rows about
// building are left out, and the disk must hold no more than containers.
func examine(ctx context.Context, toBuild bool) (state, error) {
	f := gather(ctx)
	if ctx.Err() != nil {
		return state{}, fmt.Errorf("check the machine: %w", context.Cause(ctx))
	}
	if toBuild {
		return state{f, judge(f)}, nil
	}
	forDisk := f
	forDisk.Built = true
	return state{f, []Row{judgeEngine(f), judgePrivileged(f), judgeCgroup(f), judgeDisk(forDisk), judgeMemory(f)}}, nil
}

// fixable says whether anything can be done. Without leave to install, that is
// only so where the engine is installed.
func (s state) fixable(mayInstall bool) bool {
	if !mayInstall && packages(s.facts) != nil && s.facts.Daemon == "" {
		return false
	}
	return slices.ContainsFunc(s.rows, func(r Row) bool { return r.State != OK && r.Fixable })
}
