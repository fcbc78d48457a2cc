package main

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/images"
	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/clusters/providers"
	"github.com/dra-conformance/dratest/framework/perf"
	"github.com/dra-conformance/dratest/framework/prove"
	"github.com/dra-conformance/dratest/framework/prove/thresholds"
)

func newProveThresholdsCommand() *cobra.Command {
	var f proveFlags
	var config clusters.Config
	var runs, blocks int
	cmd := &cobra.Command{
		Use:   "thresholds",
		Short: "Check that perf run tells a scheduler that costs a fifth more from one that does not, and two of the same never (2 hours and a half)",
		Long: `Measure this project's scheduler against itself with "dratest perf run", again and
again: as it is, with a plugin that has the scheduler cost a fifth more CPU time by pod,
and beside as many busy programs as there are processors. A limit of 1.1 times the CPU time
must be met, missed, and never missed. It needs a checkout and Go.`,
		Example: `  dratest prove thresholds
  dratest prove thresholds --only 'slower-*'`,
		Args: usage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, out := cmd.Context(), cmd.OutOrStdout()
			defer endOnNextSignal(ctx)()
			if runs < 1 || runs > 99 {
				return withCode(codeUsage, fmt.Errorf("runs: %d: must be between 1 and 99", runs))
			}
			if blocks < perf.MinBlocks {
				return withCode(codeUsage, fmt.Errorf("blocks: %d: an interval needs %d", blocks, perf.MinBlocks))
			}
			proof := thresholds.Proof(runs)
			config.Stack = clusters.Stack{Scheduler: clusters.Own, Controllers: clusters.Own}
			proof.Where = fmt.Sprintf("%s, %d blocks", (&provedCluster{config: config}).where(), blocks)
			options, _, err := f.options(proof, out)
			if err != nil {
				return err
			}
			p := progress.New(out)
			record, err := prove.Run(ctx, proof, &thresholds.Prover{
				Clusters: providers.NewClusters(p), Cluster: config, Blocks: blocks, Out: out,
				Slower: func(ctx context.Context) (string, error) { return slowerScheduler(ctx, p, config.Version) },
			}, options)
			return proveError(ctx, record, err)
		},
	}
	f.add(cmd.Flags())
	cmd.Flags().StringVar(&config.Name, "name", "dratest-thresholds", "beginning of the names of the control planes that are made")
	cmd.Flags().StringVar(&config.Version, "version", "", "their Kubernetes version, as v1.37.1 (default the newest known one)")
	cmd.Flags().IntVar(&runs, "runs", 20, "how many runs of two that are the same, as many with a slower one, and half as many beside others")
	cmd.Flags().IntVar(&blocks, "blocks", perf.DefaultBlocks, "blocks of each run")
	return cmd
}

// slowerScheduler builds dra-scheduler with thresholds.Slower.
func slowerScheduler(ctx context.Context, p *progress.Printer, version string) (string, error) {
	root, err := checkout("a slower scheduler is built from a checkout: run this in one")
	if err != nil {
		return "", err
	}
	overlay, err := thresholds.Slower(os.DirFS(root))
	if err != nil {
		return "", err
	}
	path, _, err := images.SchedulerProgram(ctx, images.OwnOptions{Version: version, Progress: p, Overlay: overlay}, "")
	return path, err
}
