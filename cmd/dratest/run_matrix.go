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
	"context"
	"fmt"
	"io"

	"github.com/spf13/pflag"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/run"
	"github.com/dra-conformance/dratest/reports/schema"
)

// sideBySide parses --matrix and rejects incompatible flags.
func (f *runFlags) sideBySide(flags *pflag.FlagSet) (err error) {
	if !flags.Changed("matrix") {
		return nil
	}
	for _, name := range []string{"kubeconfig", "context", "in-cluster"} {
		if flags.Changed(name) {
			return fmt.Errorf("matrix: components can be replaced only in a cluster that dratest makes: leave --%s out", name)
		}
	}
	for _, name := range []string{"stack", "scheduler", "controllers", "kubelet"} {
		if flags.Changed(name) {
			return fmt.Errorf("matrix: names whole stacks: leave --%s out, and write as in --matrix stock,scheduler=own", name)
		}
	}
	for _, name := range []string{"resume", "rerun-failed"} {
		if flags.Changed(name) {
			return fmt.Errorf("matrix: cannot be given with --%s, which goes on with one run: run that stack alone, with --stack and the directory of its report", name)
		}
	}
	if f.Keep && f.Cluster.Provider == clusters.ProviderControlPlane {
		return fmt.Errorf("keep: on provider %s --matrix makes a cluster for each stack in place of the one before: leave one of them out", clusters.ProviderControlPlane)
	}
	if f.stacks, err = run.Stacks(f.matrix); err != nil {
		return err
	}
	for _, stack := range f.stacks {
		o := f.Options
		o.Cluster.Stack = stack
		if err := o.Validate(); err != nil {
			return fmt.Errorf("matrix: %w", err)
		}
	}
	return nil
}

// matrixCases runs the cases on each stack in sequence. The exit code is the worst one, and the last
// line is the overall verdict.
func matrixCases(ctx context.Context, out io.Writer, p run.Parts, o run.Options, f runFlags) error {
	columns, err := run.Matrix(ctx, p, o, f.stacks, f.repeat)
	var errs []error
	for _, c := range columns {
		if err := runError(ctx, c.Report, c.Err); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", c.Name, err))
		}
	}
	if err != nil {
		errs = append(errs, runError(ctx, schema.Report{}, err))
	}
	err = worst(errs)
	if len(columns) > 0 {
		_, _ = fmt.Fprintf(out, "verdict: %s\n", matrixVerdict(err))
	}
	return err
}

// matrixVerdict returns the verdict for an exit code.
func matrixVerdict(err error) string {
	switch {
	case err == nil:
		return "passed"
	case exitCode(err) == codeCasesFailed:
		return "failed"
	case exitCode(err) == codeIncomplete:
		return "incomplete"
	default:
		return "not all stacks have a verdict"
	}
}

// dryRuns prints one plan, or a plan per stack.
func dryRuns(ctx context.Context, out io.Writer, f runFlags) error {
	if len(f.stacks) == 0 {
		return dryRun(ctx, out, f)
	}
	for _, stack := range f.stacks {
		_, _ = fmt.Fprintf(out, "== stack %s\n", run.StackName(stack))
		f.Cluster.Stack = stack
		if err := dryRun(ctx, out, f); err != nil {
			return err
		}
	}
	return nil
}
