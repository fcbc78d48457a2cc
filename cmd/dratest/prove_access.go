package main

import (
	"github.com/spf13/cobra"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/clusters/providers"
	"github.com/dra-conformance/dratest/framework/prove"
	"github.com/dra-conformance/dratest/framework/prove/access"
	"github.com/dra-conformance/dratest/framework/run"
	"github.com/dra-conformance/dratest/reports"
)

func newProveAccessCommand() *cobra.Command {
	var f proveFlags
	var config clusters.Config
	cmd := &cobra.Command{
		Use:   "access",
		Short: "Check that the role of a run in a cluster is the least one that works (10 minutes)",
		Long: `Check that the role which "dratest manifests" prints is the least one that works: all
cases pass with it, each of its rights is taken by some request, and without each of
them, one after the other, a run names the one that it lacks.`,
		Args: usage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, out := cmd.Context(), cmd.OutOrStdout()
			defer endOnNextSignal(ctx)()
			agents, p := simAgents(f.agentImage), parts()
			p.Agents, p.Clusters = agents, providers.NewClusters(progress.New(out))
			proof := access.Proof(config.Provider != clusters.ProviderControlPlane)
			proof.Where = (&provedCluster{config: config}).where()
			o := run.Options{Cluster: config, PodImage: f.podImage, Driver: reports.DriverOf(agents.Driver()), Out: out}
			if err := o.Validate(); err != nil {
				return withCode(codeUsage, err)
			}
			options, _, err := f.options(proof, out)
			if err != nil {
				return err
			}
			record, err := prove.Run(ctx, proof, &access.Prover{Parts: p, Options: o}, options)
			return proveError(ctx, record, err)
		},
	}
	f.add(cmd.Flags())
	f.addImages(cmd.Flags())
	cmd.Flags().StringVar(&config.Name, "name", "dratest-access", "name of the cluster that is made")
	cmd.Flags().StringVar(&config.Provider, "provider", "", "who makes it: kind (default) or controlplane, for the trials without one right only, in a minute")
	cmd.Flags().StringVar(&config.Version, "version", "", "its Kubernetes version, as v1.37.1 (default the newest known one)")
	return cmd
}
