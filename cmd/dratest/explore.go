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
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/clusters/providers"
	"github.com/dra-conformance/dratest/framework/explore"
	"github.com/dra-conformance/dratest/framework/testbed"
	"github.com/dra-conformance/dratest/reports/schema"
)

// exploreFlags are the flags of "dratest explore".
type exploreFlags struct {
	explore.Options

	stack stackFlags
}

func newExploreCommand() *cobra.Command {
	var f exploreFlags
	cmd := &cobra.Command{
		Use:   "explore",
		Short: "Test the scheduler with random problems and an oracle",
		Long: `Create random nodes, devices, device classes, claims and pods, and let the scheduler
decide. An oracle written from the API's documentation judges each outcome: whether
every allocation is valid, whether a pod that waits could have run, and whether an
earlier alternative was possible. Problems combine all features of the API that the
cluster has; many share the cluster at a time.

Without --kubeconfig, dratest creates a control plane of local processes, and
deletes it afterwards. An existing cluster gets nodes without kubelets, tainted so
that no other pods run on them; they are deleted with everything else.

An outcome that breaks a promise is tried twice more. If it breaks the same promise
again, it is a finding: its objects are written to finding-N.yaml.

Try a finding again with --replay. Results are in explore.json. With --resume, an
interrupted exploration continues.

Exit codes: 0 no findings; 1 findings; 2 wrong usage; 3 no cluster; 4 interrupted, or
some problems could not be tried.`,
		Example: `  dratest explore --problems 1000
  dratest explore --scheduler own --controllers own --seed 7 --duration 10m
  dratest explore --features 'shared counters,first available' --problems 200
  dratest explore --replay finding-42.yaml
  dratest explore --kubeconfig ~/.kube/config --duration 2m`,
		Args: usage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			f.Out = cmd.OutOrStdout()
			if err := findExisting(os.Stderr, &f.Config); err != nil {
				return withCode(codeUsage, err)
			}
			if f.Cluster.Stack, err = f.stack.over(f.Cluster.Stack); err != nil {
				return withCode(codeUsage, err)
			}
			if f.Kubeconfig == "" && f.Cluster.Provider == "" {
				f.Cluster.Provider = clusters.ProviderControlPlane
			}
			if f.Problems == 0 && f.Duration == 0 {
				f.Problems = 1000
			}
			if err := f.Validate(); err != nil {
				return withCode(codeUsage, err)
			}
			return f.run(cmd.Context())
		},
	}
	f.add(cmd.Flags())
	return cmd
}

func (f *exploreFlags) add(flags *pflag.FlagSet) {
	addClusterFlags(flags, &f.Kubeconfig, &f.Context, &f.Cluster)
	flags.StringVar(&f.Cluster.Provider, "provider", "", "cluster provider: controlplane (default, simulated nodes), kind, or existing (the cluster that kubectl uses)")
	f.stack.add(flags)
	flags.Uint64Var(&f.Seed, "seed", 1, "random seed for the problems")
	flags.IntVar(&f.Problems, "problems", 0, "number of problems to try (default: 1000 without --duration)")
	flags.DurationVar(&f.Duration, "duration", 0, "time after which no more problems are tried")
	flags.StringSliceVar(&f.Features, "features", nil, "try only problems with all of these features; an unknown name lists them")
	flags.IntVarP(&f.Parallel, "parallel", "p", 24, "number of problems to try in parallel")
	flags.BoolVar(&f.Resume, "resume", false, "resume the exploration in --report-dir")
	flags.StringVar(&f.Replay, "replay", "", "file of a finding: try only its problem")
	flags.BoolVar(&f.Keep, "keep", false, "keep the cluster")
	flags.StringVar(&f.ReportDir, "report-dir", "", "output directory for the summary and findings (default: $ARTIFACTS or ./_artifacts)")
}

func (f *exploreFlags) run(ctx context.Context) error {
	defer endOnNextSignal(ctx)()
	started := time.Now()
	s, err := explore.Run(ctx, testbed.Parts{Clusters: providers.NewClusters(progress.New(f.Out)), Agents: simAgents("")}, f.Options)
	switch {
	case inUse(err):
		return withCode(codeUsage, err)
	case s.Verdict == schema.Failed:
		return withCode(codeCasesFailed, errors.Join(fmt.Errorf("%d problems have a wrong outcome", len(s.Findings)), err))
	case ctx.Err() != nil:
		return withCode(codeIncomplete, fmt.Errorf("interrupted after %s: %w", time.Since(started).Round(time.Second), err))
	case err != nil:
		return err
	case s.Verdict == schema.Incomplete:
		return withCode(codeIncomplete, fmt.Errorf("%d problems could not be tried", len(s.Troubles)))
	}
	return nil
}
