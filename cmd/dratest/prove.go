package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dra-conformance/dratest/framework/prove"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/schema"
)

// proveFlags are the flags that all proofs have.
type proveFlags struct {
	only       []string
	shard      string
	resume     bool
	reportDir  string
	podImage   string
	agentImage string
}

func newProveCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "prove",
		Short: "Break things on purpose, and check that cases, soaks and upgrades notice",
		Long: `Break things on purpose, one after the other, and check that cases, soaks and
upgrades notice; or do the same with each feature gate and each older kubelet.

What each trial came to is in prove.json of the report directory as soon as it is
over. A proof that was interrupted or killed is gone on with by the same command
with --resume: trials that have a verdict are not done again. --shard 1/3 does the
first of three parts, for three machines; "dratest prove merge" adds them up, and
parts that were done on different clusters, too.

The last line is "NAME: WORD=N total=N". Exit code 1 means that some trial does not
show what it should, 4 that some have no verdict yet, or do not apply here because
nothing that must notice them can run.`,
	}
	cmd.AddCommand(newProveMutantsCommand(), newProveAccessCommand(), newProveBugsCommand(), newProveLifeCommand(), newProveSoakCommand(), newProveUpgradeCommand(), newProveGatesCommand(), newProveSkewCommand(), newProveThresholdsCommand(), newProveMergeCommand())
	return cmd
}

func newProveMergeCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "merge DIRECTORY...",
		Short: "Add up the parts of a proof, from their report directories",
		Long: `Add up the parts of a proof, from their report directories: its shards, of which all
must be there, and what was done on different clusters or with different --only. What
was tried twice is shown if any of the parts shows it.`,
		Args: usage(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			record, err := prove.Merge(args)
			if err != nil {
				return withCode(codeUsage, err)
			}
			record.Print(cmd.OutOrStdout())
			return proveError(cmd.Context(), record, nil)
		},
	}
}

func (f *proveFlags) add(flags *pflag.FlagSet) {
	flags.StringSliceVar(&f.only, "only", nil, "only these trials")
	flags.StringVar(&f.shard, "shard", "", "only this part of the trials, as 1/3 for the first of three")
	flags.BoolVar(&f.resume, "resume", false, "go on with the proof in --report-dir, which must be of this dratest and of the same trials")
	flags.StringVar(&f.reportDir, "report-dir", "", "directory for the record and the trials' reports (default $ARTIFACTS, or ./_artifacts)")
}

// addImages adds the flags of proofs that run pods.
func (f *proveFlags) addImages(flags *pflag.FlagSet) {
	flags.StringVar(&f.podImage, "pod-image", podImage, "image that pods run: a busybox")
	flags.StringVar(&f.agentImage, "agent-image", "", "image of the test driver dra-sim (default the one in dratest's node images)")
}

// options are the flags as options of a proof, with the trials that they leave of it.
func (f *proveFlags) options(p prove.Proof, out io.Writer) (o prove.Options, trials []prove.Trial, err error) {
	o = prove.Options{Only: f.only, Resume: f.resume, ReportDir: reports.Dir(f.reportDir), Suite: reports.SuiteVersion(), Out: out}
	if o.Shard, err = prove.ParseShard(f.shard); err != nil {
		return o, nil, withCode(codeUsage, err)
	}
	trials, err = prove.Select(p.Trials, o.Only, o.Shard)
	return o, trials, withCode(codeUsage, err)
}

// proveError turns what a proof came to into the process's exit code.
func proveError(ctx context.Context, r prove.Record, err error) error {
	switch {
	case inUse(err), errors.Is(err, prove.ErrAnother):
		return withCode(codeUsage, err)
	case r.Verdict == schema.Failed && ctx.Err() != nil:
		return withCode(codeCasesFailed, errors.Join(fmt.Errorf("the proof of %s has failed in what was done before it was interrupted; the same command with --resume goes on", r.Proof), err))
	case r.Verdict == schema.Failed:
		return withCode(codeCasesFailed, errors.Join(fmt.Errorf("the proof of %s has failed", r.Proof), err))
	case ctx.Err() != nil:
		return withCode(codeIncomplete, errors.Join(errors.New("interrupted; the same command with --resume goes on"), err))
	case err != nil:
		return err
	case r.Verdict == schema.Incomplete && r.NotApplicable() > 0 && r.Shown()+r.NotApplicable() == len(r.Trials):
		return withCode(codeIncomplete, fmt.Errorf("%d trials do not apply: nothing that must notice them can run here; use a cluster that has what it needs", r.NotApplicable()))
	case r.Verdict == schema.Incomplete && r.Untried() > 0:
		return withCode(codeIncomplete, errors.New("this is not all of the proof: give the directories of all its parts"))
	case r.Verdict == schema.Incomplete:
		return withCode(codeIncomplete, errors.New("some trials have no verdict; the same command with --resume does them again"))
	default:
		return nil
	}
}
