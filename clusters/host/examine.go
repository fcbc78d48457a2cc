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

// examine gathers and judges. Without toBuild, the rows about building are omitted and the disk only needs space for
// containers.
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

// fixable reports whether Fix can help. Without permission to install, the engine must be installed already.
func (s state) fixable(mayInstall bool) bool {
	if !mayInstall && packages(s.facts) != nil && s.facts.Daemon == "" {
		return false
	}
	return slices.ContainsFunc(s.rows, func(r Row) bool { return r.State != OK && r.Fixable })
}
