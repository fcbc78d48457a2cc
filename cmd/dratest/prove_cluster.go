package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/clusters/providers"
	"github.com/dra-conformance/dratest/clusters/versions"
	"github.com/dra-conformance/dratest/framework/testbed"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/suites/prove"
	"github.com/dra-conformance/dratest/suites/prove/mutants"
	"github.com/dra-conformance/dratest/suites/prove/spoils"
	"github.com/dra-conformance/dratest/suites/run"
	"github.com/dra-conformance/dratest/suites/soak"
)

// provedCluster says which cluster a proof is about.
type provedCluster struct {
	kubeconfig, context string
	config              clusters.Config
	stack               stackFlags
}

func (c *provedCluster) add(cmd *cobra.Command, name string) {
	addClusterFlags(cmd.Flags(), &c.kubeconfig, &c.context, &c.config)
	c.stack.add(cmd.Flags())
	cmd.Flags().Lookup("name").Usage = "name of the cluster that is made"
	cmd.Flags().Lookup("name").DefValue = name
	c.config.Name = name
}

// where is the cluster in words, for the proof's record.
func (c *provedCluster) where() string {
	if c.kubeconfig != "" {
		return strings.TrimSpace("the cluster of " + c.kubeconfig + " " + c.context)
	}
	config := c.config.WithDefaults(versions.Newest().Kubernetes)
	return fmt.Sprintf("Kubernetes %s (%s)", cmp.Or(config.Image, config.Version), config.Stack)
}

func newProveMutantsCommand() *cobra.Command {
	var f proveFlags
	var c provedCluster
	var disruptive bool
	cmd := &cobra.Command{
		Use:   "mutants",
		Short: "Break the test driver in every way and check that the cases that catch it fail (30 minutes)",
		Long: `Break the test driver in every way ("dratest list --mutants"), one after the other
on one cluster, and check that each case fails that says it catches that. A mutant
that some case does not notice has survived.`,
		Example: `  dratest prove mutants
  dratest prove mutants --resume
  dratest prove mutants --only driver-prepare-hang,driver-unprepare-hang --stack own`,
		Args: usage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			ctx, out := cmd.Context(), cmd.OutOrStdout()
			defer endOnNextSignal(ctx)()
			if c.config.Stack, err = c.stack.over(c.config.Stack); err != nil {
				return err
			}
			agents, p := simAgents(f.agentImage), parts()
			p.Agents, p.Clusters = agents, providers.NewClusters(progress.New(out))
			proof, err := mutants.Proof(run.Metas(p.Cases))
			if err != nil {
				return err
			}
			proof.Where = c.where()
			o := run.Options{
				Kubeconfig: c.kubeconfig, Context: c.context, Cluster: c.config, Disruptive: disruptive, RestartNodes: disruptive,
				PodImage: f.podImage, Driver: reports.DriverOf(agents.Driver()), Out: out,
			}
			if err := o.Validate(); err != nil {
				return withCode(codeUsage, err)
			}
			options, _, err := f.options(proof, out)
			if err != nil {
				return err
			}
			record, err := prove.Run(ctx, proof, &mutants.Prover{Parts: p, Options: o}, options)
			return proveError(ctx, record, err)
		},
	}
	f.add(cmd.Flags())
	c.add(cmd, "dratest-mutants")
	cmd.Flags().BoolVar(&disruptive, "disruptive", false, "with --kubeconfig: run cases that restart kubelets and nodes, too; in clusters that are made they always run")
	return cmd
}

func newProveSoakCommand() *cobra.Command {
	var f proveFlags
	var c provedCluster
	cmd := &cobra.Command{
		Use:   "soak",
		Short: "Spoil a cluster under load in every way and check that a soak says which rule was violated",
		Long: `Spoil a cluster under load in every way, one after the other, and check that a soak
says which rule was violated. Only objects and claims of the soak's own namespace
are spoiled, also on a cluster of --kubeconfig.`,
		Args: usage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			ctx, out := cmd.Context(), cmd.OutOrStdout()
			defer endOnNextSignal(ctx)()
			if c.config.Stack, err = c.stack.over(c.config.Stack); err != nil {
				return err
			}
			o := spoils.Load(soak.Options{Kubeconfig: c.kubeconfig, Context: c.context, Cluster: c.config, PodImage: f.podImage, Out: out})
			if err := o.Validate(); err != nil {
				return withCode(codeUsage, err)
			}
			p := soak.Parts{Parts: testbed.Parts{Clusters: providers.NewClusters(progress.New(out)), Agents: simAgents(f.agentImage)}}
			proof := spoils.Proof()
			proof.Where = c.where()
			options, _, err := f.options(proof, out)
			if err != nil {
				return err
			}
			record, err := prove.Run(ctx, proof, &spoils.Prover{Parts: p, Options: o}, options)
			return proveError(ctx, record, err)
		},
	}
	f.add(cmd.Flags())
	c.add(cmd, "dratest-soak-proof")
	return cmd
}
