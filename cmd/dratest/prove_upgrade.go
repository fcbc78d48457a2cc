package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/clusters/providers"
	"github.com/dra-conformance/dratest/framework/prove"
	"github.com/dra-conformance/dratest/framework/prove/upgrades"
	suite "github.com/dra-conformance/dratest/framework/run"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/suites/requirements"
	"github.com/dra-conformance/dratest/upgrade/cases"
	"github.com/dra-conformance/dratest/upgrade/run"
)

// upgradeDir is where the upgrade's report is whose cluster all trials share.
const upgradeDir = "upgrade"

func newProveUpgradeCommand() *cobra.Command {
	var f proveFlags
	var name string
	cmd := &cobra.Command{
		Use:   "upgrade",
		Short: "Break components of the new version right before their step and check that an upgrade notices",
		Args:  usage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, out, proof := cmd.Context(), cmd.OutOrStdout(), upgrades.BreaksProof()
			proof.Where = "cluster " + name
			o, trials, err := f.options(proof, out)
			if err != nil {
				return err
			}
			_, err = f.upgrades(ctx, proof, o, &upgrades.Breaks{Base: f.base(name, out), Dir: filepath.Join(o.ReportDir, upgradeDir), Trials: trials})
			return err
		},
	}
	f.add(cmd.Flags())
	f.addImages(cmd.Flags())
	cmd.Flags().StringVar(&name, "name", "dratest-upgrade-proof", "name of the cluster that is made")
	return cmd
}

func newProveGatesCommand() *cobra.Command {
	var f proveFlags
	var name, from string
	cmd := &cobra.Command{
		Use:   "gates",
		Short: "Switch each of DRA's feature gates and back under running claims, and tabulate what came out",
		Long: `Switch each of DRA's feature gates off and on again, and on and off again, under
running claims, each time on a cluster of its own. The table is in gates.md of the
report directory.`,
		Args: usage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, out, proof := cmd.Context(), cmd.OutOrStdout(), upgrades.GatesProof(from)
			o, _, err := f.options(proof, out)
			if err != nil {
				return err
			}
			record, err := f.upgrades(ctx, proof, o, &upgrades.Gates{Base: f.base(name, out), From: from})
			if errors.Is(err, prove.ErrAnother) || inUse(err) {
				return err // the table there is somebody else's
			}
			table := upgrades.GatesTable(from, record, func(evidence string) (run.Record, error) {
				return run.LoadRecord(filepath.Join(o.ReportDir, evidence))
			})
			if len(record.Results) == 0 {
				return err
			}
			if writeErr := os.WriteFile(filepath.Join(o.ReportDir, upgrades.GatesFile), table, 0o644); writeErr != nil && err == nil {
				return writeErr
			}
			return err
		},
	}
	f.add(cmd.Flags())
	f.addImages(cmd.Flags())
	cmd.Flags().StringVar(&name, "name", "dratest-gates", "name of the clusters that are made")
	cmd.Flags().StringVar(&from, "from", "1.36", "Kubernetes version of the clusters")
	return cmd
}

func newProveSkewCommand() *cobra.Command {
	var f proveFlags
	var name string
	cmd := &cobra.Command{
		Use:   "skew",
		Short: "Run all cases on kubelets of the three versions before the control plane's, alone and together",
		Args:  usage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, out, proof := cmd.Context(), cmd.OutOrStdout(), upgrades.SkewProof()
			proof.Where = "cluster " + name
			o, _, err := f.options(proof, out)
			if err != nil {
				return err
			}
			agents, base, p := simAgents(f.agentImage), f.base(name, out), parts()
			p.Agents, p.Clusters = agents, base.Parts.Clusters // which knows what was built here
			_, err = f.upgrades(ctx, proof, o, &upgrades.Skew{
				Base: base, Dir: filepath.Join(o.ReportDir, upgradeDir), Suite: p,
				SuiteOptions: suite.Options{Disruptive: true, PodImage: f.podImage, Driver: reports.DriverOf(agents.Driver()), Out: out},
			})
			return err
		},
	}
	f.add(cmd.Flags())
	f.addImages(cmd.Flags())
	cmd.Flags().StringVar(&name, "name", "dratest-skew", "name of the cluster that is made")
	return cmd
}

// base is what upgrades of proofs are put together from.
func (f *proveFlags) base(name string, out io.Writer) upgrades.Base {
	p, agents := progress.New(out), simAgents(f.agentImage)
	b := upgrades.Base{Parts: run.Parts{Clusters: providers.NewClusters(p), Agents: agents, Cases: cases.All(), Requirements: requirements.All(), Software: &run.Built{Progress: p}}}
	b.Options = run.Options{PodImage: f.podImage, Driver: reports.DriverOf(agents.Driver()), Out: out}
	b.Options.Cluster.Name = name
	b.Options.Cluster.NodeImageSource = clusters.SourceBuild // the components of all steps go together
	return b
}

// upgrades does a proof that is about upgrades.
func (f *proveFlags) upgrades(ctx context.Context, proof prove.Proof, o prove.Options, prover prove.Prover) (prove.Record, error) {
	defer endOnNextSignal(ctx)()
	closeLog, err := clientLog(o.ReportDir)
	if err != nil {
		return prove.Record{}, err
	}
	defer closeLog()
	record, err := prove.Run(ctx, proof, prover, o)
	return record, proveError(ctx, record, err)
}
