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
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"
	cliflag "k8s.io/component-base/cli/flag"

	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/clusters/providers"
	"github.com/dra-conformance/dratest/clusters/versions"
	"github.com/dra-conformance/dratest/framework/perf"
	"github.com/dra-conformance/dratest/framework/prove"
	"github.com/dra-conformance/dratest/framework/run"
	"github.com/dra-conformance/dratest/reports"
)

// proveFlags are the flags of all trial commands.
type proveFlags struct {
	prove.Options

	shard, agentImage string
	stack             stackFlags

	// For mutants.
	restOf       []string
	changedSince string
	disruptive   bool

	// For bugs and combined.
	pairs, count, problems int
	seed                   uint64

	runs, blocks int    // for thresholds
	from         string // for gates
}

func (f *proveFlags) add(flags *pflag.FlagSet) {
	flags.StringSliceVar(&f.Only, "only", nil, "run only these trials")
	flags.StringVar(&f.shard, "shard", "", "run only this part of the trials, for example 1/3")
	flags.BoolVar(&f.Resume, "resume", false, "resume the proof in --report-dir; it must be by the same dratest, with the same trials")
	flags.StringVar(&f.ReportDir, "report-dir", "", "output directory for the record and the reports of trials (default: $ARTIFACTS or ./_artifacts)")
}

// addImages adds the flags of proofs with pods.
func (f *proveFlags) addImages(flags *pflag.FlagSet) {
	flags.StringVar(&f.PodImage, "pod-image", podImage, "busybox image for pods")
	flags.StringVar(&f.agentImage, "agent-image", "", "image of the test driver dra-sim (default: preloaded in dratest's node images)")
}

// addMade adds the flags of proofs creating clusters of a fixed version.
func (f *proveFlags) addMade(flags *pflag.FlagSet) {
	flags.StringVar(&f.Cluster.Name, "name", f.Cluster.Name, "name of the cluster to create; prefix if there are several")
}

// addVersion adds the flags of proofs creating clusters of any version.
func (f *proveFlags) addVersion(flags *pflag.FlagSet) {
	f.addMade(flags)
	flags.StringVar(&f.Cluster.Version, "version", "", "Kubernetes version, for example v1.37: a release, a prerelease, or the directory of a checkout (default: latest listed)")
}

// addCluster adds the flags of proofs with a created or existing cluster.
func (f *proveFlags) addCluster(flags *pflag.FlagSet) {
	f.addImages(flags)
	name := f.Cluster.Name
	addClusterFlags(flags, &f.Kubeconfig, &f.Context, &f.Cluster)
	f.stack.add(flags)
	flags.Lookup("name").Usage, flags.Lookup("name").DefValue = "name of the cluster to create", name
	f.Cluster.Name = name
}

func (f *proveFlags) addMutants(flags *pflag.FlagSet) {
	f.addCluster(flags)
	flags.StringVar(&f.Cluster.Provider, "provider", "", "cluster provider: kind (default) or controlplane")
	flags.StringSliceVar(&f.restOf, "rest-of", nil, "run only what the proofs of other clusters in these report directories left undetected")
	flags.Func("changed-since", "run only mutants affected by changes in the checkout since this git `commit`", func(commit string) error {
		if f.changedSince = commit; commit == "" {
			return errors.New("--changed-since needs a commit")
		}
		return nil
	})
	flags.BoolVar(&f.disruptive, "disruptive", false, "with --kubeconfig: also run cases that restart kubelets or nodes, or need exclusive use of the cluster; always on for clusters created by dratest")
}

func (f *proveFlags) addStock(flags *pflag.FlagSet) {
	f.addMadeWithPods(flags)
	addFeatureFlags(flags, &f.Cluster)
}

func (f *proveFlags) addAccess(flags *pflag.FlagSet) {
	f.addImages(flags)
	f.addVersion(flags)
	flags.StringVar(&f.Cluster.Provider, "provider", "", "cluster provider: kind (default) or controlplane (1 minute, only the trials that each remove one right)")
}

func (f *proveFlags) addBugs(flags *pflag.FlagSet) {
	f.addVersion(flags)
	flags.IntVar(&f.pairs, "pairs", 0, "inject this number of pairs of bugs instead; both must be detected, each by its own check")
	flags.Uint64Var(&f.seed, "seed", 1, "with --pairs: seed of the drawn pairs")
}

func (f *proveFlags) addCombined(flags *pflag.FlagSet) {
	f.addVersion(flags)
	flags.Uint64Var(&f.seed, "seed", 1, "seed of the drawn mutants and of the problems")
	flags.IntVar(&f.count, "count", 200, "number of mutants")
	flags.IntVar(&f.problems, "problems", 200, "number of problems for an undetected mutant")
}

func (f *proveFlags) addLife(flags *pflag.FlagSet) {
	f.addImages(flags)
	f.addVersion(flags)
}

func (f *proveFlags) addThresholds(flags *pflag.FlagSet) {
	f.addVersion(flags)
	flags.IntVar(&f.runs, "runs", 20, "number of runs with identical sides, and of runs with a slower side; half as many run under other load")
	flags.IntVar(&f.blocks, "blocks", perf.DefaultBlocks, "blocks per run")
}

// addMadeWithPods adds the flags of proofs with pods in clusters of a fixed version.
func (f *proveFlags) addMadeWithPods(flags *pflag.FlagSet) {
	f.addImages(flags)
	f.addMade(flags)
}

func (f *proveFlags) addGates(flags *pflag.FlagSet) {
	f.addMadeWithPods(flags)
	flags.StringVar(&f.from, "from", "1.36", "Kubernetes version of the clusters")
}

// where describes the cluster in the proof's record.
func (f *proveFlags) where() string {
	if f.Kubeconfig != "" {
		return strings.TrimSpace("the cluster of " + f.Kubeconfig + " " + f.Context)
	}
	config := f.Cluster.WithDefaults(versions.Newest().Kubernetes)
	gates := ""
	if len(config.FeatureGates) > 0 {
		gates = " with " + cliflag.NewMapStringBool(&config.FeatureGates).String()
	}
	if len(config.RuntimeConfig) > 0 {
		served := cliflag.ConfigurationMap(config.RuntimeConfig)
		gates += " serving " + served.String()
	}
	return fmt.Sprintf("Kubernetes %s (%s)%s", cmp.Or(config.Image, config.Version), config.Stack, gates)
}

// cases returns the parts and options for running cases in the proof's cluster.
func (f *proveFlags) cases() (run.Parts, run.Options) {
	agents, p := simAgents(f.agentImage), parts()
	p.Agents, p.Clusters = agents, providers.NewClusters(progress.New(f.Out))
	return p, run.Options{Config: f.Config, Driver: reports.DriverOf(agents.Driver())}
}
