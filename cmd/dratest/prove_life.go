package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/command"
	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/clusters/providers"
	"github.com/dra-conformance/dratest/drivers/declarations"
	"github.com/dra-conformance/dratest/framework/prove"
	"github.com/dra-conformance/dratest/framework/prove/life"
)

func newProveLifeCommand() *cobra.Command {
	var f proveFlags
	config := clusters.Config{Name: "dratest-life"}
	cmd := &cobra.Command{
		Use:   "life",
		Short: "Give dra-sim, as a vendor ships it, bugs of its life and check that \"dratest certify\" names them (35 minutes)",
		Long: `Give dra-sim, installed as a vendor would ship it in a kind cluster, the bugs that
show only with a kubelet and a DaemonSet, one after the other, and check that the
cases of life that are about them fail, and pass without.`,
		Args: usage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, out := cmd.Context(), cmd.OutOrStdout()
			defer endOnNextSignal(ctx)()
			d, err := declarations.Shipped("dra-sim")
			if err != nil {
				return err
			}
			self, err := os.Executable()
			if err != nil {
				return fmt.Errorf("find dratest: %w", err)
			}
			// The declaration's hooks are commands of dratest.
			err = os.Setenv("PATH", filepath.Dir(self)+string(os.PathListSeparator)+os.Getenv("PATH"))
			if err != nil {
				return fmt.Errorf("set PATH for hooks: %w", err)
			}
			proof := life.Proof()
			proof.Where = (&provedCluster{config: config}).where()
			options, _, err := f.options(proof, out)
			if err != nil {
				return err
			}
			p := parts()
			p.Agents, p.Clusters = simAgents(f.agentImage), providers.NewClusters(progress.New(out))
			record, err := prove.Run(ctx, proof, &life.Prover{
				Parts: p, Cluster: config, Declaration: d.Declaration, PodImage: f.podImage, Out: out,
				Install: func(ctx context.Context, cluster, bug string) error {
					if bug == "" {
						if err := forgetClaims(ctx, cluster, d.Declaration.Driver); err != nil {
							return err
						}
					}
					return installAgain(ctx, self, cluster, bug)
				},
			}, options)
			return proveError(ctx, record, err)
		},
	}
	f.add(cmd.Flags())
	f.addImages(cmd.Flags())
	cmd.Flags().StringVar(&config.Name, "name", config.Name, "name of the cluster that is made")
	cmd.Flags().StringVar(&config.Version, "version", "", "its Kubernetes version, as v1.37.1 (default the newest known one)")
	return cmd
}

// forgetClaims removes the CDI files of a driver from all nodes: what a bug has left there
// would keep devices from claims of a driver without it.
func forgetClaims(ctx context.Context, cluster, driver string) error {
	machines, err := providers.NewClusters(progress.New(io.Discard)).Machines(ctx, cluster)
	if err != nil {
		return err
	}
	for _, m := range machines {
		if _, err := m.Run(ctx, nil, "sh", "-c", `rm -f /var/run/cdi/"$1"-*`, "sh", driver); err != nil {
			return fmt.Errorf("remove CDI files from %s: %w", m, err)
		}
	}
	return nil
}

// installAgain installs dra-sim with a bug, in place of one with another bug, and has hooks
// keep it.
func installAgain(ctx context.Context, self, cluster, bug string) error {
	if err := os.Setenv(bugVariable, bug); err != nil {
		return errors.Join(errors.New("set the bug for hooks"), err)
	}
	_, err := command.Run(ctx, command.Cmd{Args: []string{self, "certify", "install", "dra-sim", "--name", cluster, "--bug", bug}})
	return err
}
