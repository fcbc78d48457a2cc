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
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/clusters/providers"
	"github.com/dra-conformance/dratest/framework/companions/classic/bench"
	"github.com/dra-conformance/dratest/framework/companions/fabric"
	"github.com/dra-conformance/dratest/framework/perf"
	"github.com/dra-conformance/dratest/framework/perf/node"
	"github.com/dra-conformance/dratest/framework/perf/prebind"
	"github.com/dra-conformance/dratest/reports/schema"
)

// perfFlags are the flags of "dratest perf run".
type perfFlags struct {
	perf.Options

	workloads, thresholds string
	only                  []string
	reference, candidate  string
	control, full         bool
}

func newPerfCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "perf",
		Short: "Measure the performance of pods with claims",
	}
	cmd.AddCommand(newPerfRunCommand(), newPerfCompareCommand(), newPerfHistoryCommand())
	return cmd
}

func newPerfRunCommand() *cobra.Command {
	var f perfFlags
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Compare the performance of two stacks by thresholds",
		Long: `Compare the performance of two stacks, the reference and the candidate. For each
workload, dratest creates a control plane with simulated nodes per stack, runs the
same pods on both in turns (a block), and judges the ratios by thresholds. Ratios
hold on any machine, times do not. The reference can be another version, and both
can run your own binaries.

A threshold is met if the 95 % confidence interval of the ratio over all blocks
(Hodges-Lehmann) is within it, missed if the interval is outside, and inconclusive
otherwise. Wall-clock times count only blocks without other load on the machine;
CPU time always counts.

The table shows medians of all rounds. plugin-sec/attempt is the time of the
scheduler's DRA plugin per scheduling attempt, from the tenth that it samples.

The workloads fabric, classic, prebind and node measure companion programs, the
scheduler while pods wait in PreBind, and kubelets in containers. Each of their
values must be within its limit.

Results: perf.json (all rounds), perf.bench (for benchstat), perf.html (plots), and
CPU and heap profiles of workloads with a missed threshold. The last line is
"perf: met=N missed=N cannot-tell=N".

Exit codes: 0 all thresholds are met; 1 one is missed; 2 wrong usage; 3 no control
plane; 4 one is inconclusive.`,
		Example: `  dratest perf run
  dratest perf run --only template-claims --blocks 20
  dratest perf run --only fabric,classic,prebind
  dratest perf run --control             # the reference against itself
  dratest perf run --candidate scheduler=own --workloads mine.yaml --thresholds mine-too.yaml
  dratest perf run --version 1.37 --candidate stock --reference-version 1.36
  dratest perf run --candidate stock --candidate-program kube-scheduler=_output/bin/kube-scheduler`,
		Args: usage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.Out = cmd.OutOrStdout()
			f.Clusters = providers.NewClusters(progress.New(f.Out))
			f.Scenarios = scenarios(f.Clusters)
			if err := f.findReference(cmd.Context()); err != nil {
				return err
			}
			if err := f.complete(); err != nil {
				return withCode(codeUsage, err)
			}
			return f.run(cmd.Context())
		},
	}
	f.add(cmd.Flags())
	return cmd
}

// scenarios returns the scenarios available to workloads.
func scenarios(c perf.Clusters) map[string]perf.Scenario {
	return map[string]perf.Scenario{"classic": bench.Scenario(), "fabric": fabric.Perf(), "node": node.Scenario(simAgents("")), "prebind": prebind.Scenario(c.Processes)}
}

func (f *perfFlags) add(flags *pflag.FlagSet) {
	flags.StringVarP(&f.workloads, "workloads", "f", "", "workload file (default: built-in workloads)")
	flags.BoolVar(&f.full, "full", false, "also measure scaling up to 5000 nodes and 10000 running pods, restarts at that scale, more kinds of claims, companion programs and kubelets (6 hours; needs a container engine)")
	flags.StringVar(&f.thresholds, "thresholds", "", "threshold file (default: built-in thresholds, unless -f is set)")
	flags.StringSliceVar(&f.only, "only", nil, "run only these workloads, including those of --full")
	flags.StringVar(&f.reference, "reference", "stock", "stack to compare with: stock, own, or a list such as scheduler=own")
	flags.StringVar(&f.candidate, "candidate", "own", "stack to judge")
	flags.BoolVar(&f.control, "control", false, "compare the reference with itself, to measure the resolution")
	flags.IntVar(&f.Blocks, "blocks", perf.DefaultBlocks, fmt.Sprintf("measurements of each workload per side; confidence intervals need at least %d", perf.MinBlocks))
	flags.StringVar(&f.Cluster.Version, "version", "", "Kubernetes version (default: latest listed)")
	flags.StringVar(&f.Reference.Version, "reference-version", "", "Kubernetes version of the reference, for example the previous release (default: --version)")
	flags.StringToStringVar(&f.Reference.Programs, "reference-program", nil, "binaries that replace those of the reference, for example kube-scheduler=PATH")
	flags.StringToStringVar(&f.Candidate.Programs, "candidate-program", nil, "binaries that replace those of the candidate")
	flags.StringVar(&f.Cluster.Name, "name", "dratest-perf", "name prefix of the control planes to create")
	flags.StringVar(&f.ReportDir, "report-dir", "", "output directory for results (default: $ARTIFACTS or ./_artifacts)")
}

// complete reads files and stacks.
func (f *perfFlags) complete() error {
	f.Config = f.WithDefaults()
	if f.Blocks < 1 {
		return fmt.Errorf("blocks: %d: must be at least 1", f.Blocks)
	}
	errs := []error{f.completeSubjects()}
	var err error
	if f.full && f.workloads != "" {
		errs = append(errs, errors.New("full: says nothing with a file of workloads"))
	}
	full := f.full || len(f.only) > 0 // --only selects from all workloads
	f.Workloads, err = decoded(f.workloads, func() ([]perf.Workload, error) { return perf.DefaultWorkloads(full) }, perf.DecodeWorkloads)
	errs = append(errs, err)
	if f.thresholds != "" || f.workloads == "" {
		f.Thresholds, err = decoded(f.thresholds, func() ([]perf.Threshold, error) { return perf.DefaultThresholds(full) }, perf.DecodeThresholds)
		errs = append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	for _, w := range f.Workloads {
		if _, known := f.Scenarios[w.Scenario]; w.Scenario != "" && !known {
			errs = append(errs, fmt.Errorf("workload %s: there is no scenario %q", w.Name, w.Scenario))
		}
	}
	return errors.Join(append(errs, perf.CheckThresholds(f.Thresholds, f.Workloads), f.choose())...)
}

// findReference finds the version of the reference before anything is created.
func (f *perfFlags) findReference(ctx context.Context) error {
	if f.Reference.Version == "" {
		return nil
	}
	v, err := findVersion(ctx, f.Out)(f.Reference.Version)
	if err != nil {
		return fmt.Errorf("reference-version: %w", err)
	}
	f.Reference.Version = v.Kubernetes
	return nil
}

// completeSubjects sets the software of both sides.
func (f *perfFlags) completeSubjects() error {
	if f.control {
		if len(f.Candidate.Programs) > 0 {
			return errors.New("candidate-program: says nothing with --control, which judges the reference against itself")
		}
		f.candidate, f.Candidate = f.reference, f.Reference
	}
	var err, candidateErr error
	f.Reference.Stack, err = clusters.ParseStack(f.reference)
	f.Candidate.Stack, candidateErr = clusters.ParseStack(f.candidate)
	return errors.Join(err, candidateErr, f.Reference.Validate(), f.Candidate.Validate())
}

// choose keeps the workloads of --only, and their thresholds.
func (f *perfFlags) choose() error {
	if len(f.only) == 0 {
		return nil
	}
	var names []string
	for _, w := range f.Workloads {
		names = append(names, w.Name)
	}
	for _, name := range f.only {
		if !slices.Contains(names, name) {
			return fmt.Errorf("only: there is no workload %q, there are %s", name, strings.Join(names, ", "))
		}
	}
	f.Workloads = slices.DeleteFunc(f.Workloads, func(w perf.Workload) bool { return !slices.Contains(f.only, w.Name) })
	f.Thresholds = slices.DeleteFunc(f.Thresholds, func(t perf.Threshold) bool {
		return !slices.Contains(f.only, t.Workload) || t.Versus != "" && !slices.Contains(f.only, t.Versus)
	})
	return nil
}

// decoded reads a file; without a path it returns the default.
func decoded[T any](path string, without func() (T, error), decode func([]byte) (T, error)) (T, error) {
	if path == "" {
		return without()
	}
	data, err := os.ReadFile(path)
	if err != nil {
		var none T
		return none, err
	}
	out, err := decode(data)
	if err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return out, err
}

func (f *perfFlags) run(ctx context.Context) error {
	defer endOnNextSignal(ctx)()
	record, err := perf.Run(ctx, f.Options)
	if inUse(err) {
		return withCode(codeUsage, err)
	}
	record.Print(f.Out)
	err = errors.Join(err, writePerfPage(filepath.Join(f.ReportDir, perfPage), []perf.Record{record}))
	switch {
	case record.Verdict == schema.Failed:
		return withCode(codeCasesFailed, errors.Join(record.Err(), err))
	case ctx.Err() != nil:
		return withCode(codeIncomplete, fmt.Errorf("interrupted: %w", errors.Join(context.Cause(ctx), err)))
	case err != nil:
		return withCode(codeEnvironment, err)
	default:
		return withCode(codeIncomplete, record.Err())
	}
}
