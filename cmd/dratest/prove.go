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
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dra-conformance/dratest/framework/prove"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/schema"
)

// trials is a command running a series of trials: a proof, or an upgrade matrix.
type trials struct {
	name, short, long, example string
	// cluster is the default of --name.
	cluster string
	// flags adds the command's own flags.
	flags func(f *proveFlags, flags *pflag.FlagSet)
	// start returns the proof and its prover. A nil prover means there is nothing to do.
	start func(f *proveFlags, ctx context.Context) (prove.Proof, prove.Prover, error)
	// log redirects client-go's log to a file.
	log bool
}

func newProveCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "prove",
		Short: "Inject faults and mutants, and check that dratest detects them",
		Long: `Inject faults and mutants one after the other, and check that cases, soak and upgrade
detect them.

The result of each trial is written to prove.json in the report directory as soon as it
ends. --resume continues an interrupted proof and skips trials with a verdict. --shard
1/3 runs the first of three parts, for example on three machines; "dratest prove merge"
combines them, and also parts from different clusters.

The last line is "NAME: WORD=N total=N". Exit codes: 0 all trials show what they should;
1 some do not; 4 some have no verdict yet, or do not apply because no case that could
detect them can run.`,
	}
	for _, row := range proofs {
		cmd.AddCommand(row.command())
	}
	for _, row := range matrices {
		cmd.AddCommand(&cobra.Command{Use: row.name, Hidden: true, DisableFlagParsing: true, RunE: func(*cobra.Command, []string) error {
			return withCode(codeUsage, fmt.Errorf(`"dratest prove %s" is now "dratest upgrade %s", with the same flags`, row.name, row.name))
		}})
	}
	cmd.AddCommand(newProveMergeCommand(), newProveCorpusCommand())
	return cmd
}

func newProveMergeCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "merge DIRECTORY...",
		Short: "Combine the parts of a proof from their report directories",
		Long: `Combine the parts of a proof from their report directories: all of its shards, and
parts from different clusters or with different --only. A mutant tried more than once
counts as detected if any part detected it.`,
		Args: usage(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			record, err := prove.Merge(args)
			if err != nil {
				return withCode(codeUsage, err)
			}
			record.Print(cmd.OutOrStdout())
			return proveError(cmd.Context(), false, record, nil)
		},
	}
}

func (t trials) command() *cobra.Command {
	var f proveFlags
	f.Cluster.Name = t.cluster
	cmd := &cobra.Command{
		Use: t.name, Short: t.short, Long: t.long, Example: t.example, Args: usage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return t.run(cmd.Context(), cmd.OutOrStdout(), &f) },
	}
	f.add(cmd.Flags())
	t.flags(&f, cmd.Flags())
	return cmd
}

func (t trials) run(ctx context.Context, out io.Writer, f *proveFlags) (err error) {
	defer endOnNextSignal(ctx)()
	if f.Cluster.Stack, err = f.stack.over(f.Cluster.Stack); err != nil {
		return err
	}
	f.Out, f.Suite = out, reports.SuiteVersion()
	f.Config = f.WithDefaults()
	if f.Shard, err = prove.ParseShard(f.shard); err != nil {
		return withCode(codeUsage, err)
	}
	proof, prover, err := t.start(f, ctx)
	if err != nil || prover == nil {
		return err
	}
	if _, err := f.Select(proof); err != nil {
		return err
	}
	if t.log {
		closeLog, err := clientLog(f.ReportDir)
		if err != nil {
			return err
		}
		defer closeLog()
	}
	record, err := prove.Run(ctx, proof, prover, f.Options)
	return proveError(ctx, f.changedSince != "", record, err)
}

// proveError maps the result of a proof to an exit code. With --changed-since, undetected mutants are
// incomplete instead of failed if other cases need a different cluster.
func proveError(ctx context.Context, changed bool, r prove.Record, err error) error {
	switch elsewhere := r.Elsewhere(); {
	case inUse(err), errors.Is(err, prove.ErrAnother):
		return withCode(codeUsage, err)
	case changed && r.Verdict == schema.Failed && len(elsewhere) > 0:
		return withCode(codeIncomplete, errors.Join(fmt.Errorf("no case able to run on this cluster detects %s; their other cases need another cluster", strings.Join(elsewhere, ", ")), err))
	case r.Verdict == schema.Failed && ctx.Err() != nil:
		return withCode(codeCasesFailed, errors.Join(fmt.Errorf("the proof of %s was interrupted and has failed trials; continue with --resume", r.Proof), err))
	case r.Verdict == schema.Failed:
		return withCode(codeCasesFailed, errors.Join(fmt.Errorf("the proof of %s has failed", r.Proof), err))
	case ctx.Err() != nil:
		return withCode(codeIncomplete, errors.Join(errors.New("interrupted; continue with --resume"), err))
	case err != nil:
		return err
	case r.Verdict == schema.Incomplete && r.NotApplicable() > 0 && r.Detected()+r.NotApplicable() == len(r.Trials):
		return withCode(codeIncomplete, fmt.Errorf("%d trials do not apply: their cases cannot run on this cluster", r.NotApplicable()))
	case r.Verdict == schema.Incomplete && r.Untried() > 0:
		return withCode(codeIncomplete, errors.New("incomplete proof: give the directories of all parts"))
	case r.Verdict == schema.Incomplete:
		return withCode(codeIncomplete, errors.New("some trials have no verdict; repeat them with --resume"))
	default:
		return nil
	}
}
