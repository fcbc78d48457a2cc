package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"k8s.io/client-go/kubernetes"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/clusters/providers"
	"github.com/dra-conformance/dratest/framework/prove"
	"github.com/dra-conformance/dratest/framework/prove/bugs"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
	"github.com/dra-conformance/dratest/suites/sanity"
)

// checkBug does one sanity check with dra-sim.
func checkBug(ctx context.Context, client kubernetes.Interface, s bugs.Subject, id string) (spec.Outcome, error) {
	outcomes, err := sanity.Run(ctx, sanity.Local{Socket: s.Sockets, CDIDirs: []string{s.CDIDir}, RegistryDir: s.RegistryDir}, sanity.Options{
		Driver: s.Driver, Node: s.Node, Client: client, Only: []string{id},
		Restart: s.Restart, Upgrade: s.Upgrade, Downgrade: s.Downgrade, CheckpointPaths: []string{s.Checkpoint},
		ValidConfig: []json.RawMessage{json.RawMessage(`{"sanity":"checks"}`)}, InvalidConfig: []json.RawMessage{json.RawMessage(`{"sanity":1}`)},
	})
	if err != nil || len(outcomes) != 1 {
		return spec.Outcome{}, errors.Join(fmt.Errorf("check %s: %d outcomes", id, len(outcomes)), err)
	}
	return outcomes[0], nil
}

func newProveBugsCommand() *cobra.Command {
	var f proveFlags
	config := clusters.Config{Provider: clusters.ProviderControlPlane}
	cmd := &cobra.Command{
		Use:   "bugs",
		Short: "Give the test driver bugs, most of which published drivers had, and check that sanity names them (4 minutes)",
		Long: `Give the test driver bugs, most of which published drivers had ("dra-sim driver --help"),
one after the other, and check that the sanity check that is about the bug fails,
and passes without it. The drivers are processes of this machine with an API server
and without a kubelet.`,
		Args: usage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, out := cmd.Context(), cmd.OutOrStdout()
			defer endOnNextSignal(ctx)()
			program, err := os.Executable()
			if err != nil {
				return fmt.Errorf("find the test driver: %w", err)
			}
			proof := bugs.Proof()
			proof.Where = (&provedCluster{config: config}).where()
			options, _, err := f.options(proof, out)
			if err != nil {
				return err
			}
			record, err := prove.Run(ctx, proof, &bugs.Prover{
				Parts:   testbed.Parts{Clusters: providers.NewClusters(progress.New(out)), Agents: testbed.Sim{}},
				Cluster: config, Program: filepath.Join(filepath.Dir(program), "dra-sim"), Check: checkBug, Out: out,
			}, options)
			return proveError(ctx, record, err)
		},
	}
	f.add(cmd.Flags())
	cmd.Flags().StringVar(&config.Name, "name", "dratest-bugs", "name of the control plane that is made")
	cmd.Flags().StringVar(&config.Version, "version", "", "its Kubernetes version, as v1.37.1 (default the newest known one)")
	return cmd
}
