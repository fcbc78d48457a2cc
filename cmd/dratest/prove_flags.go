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
	"io"
	"strings"

	"github.com/spf13/pflag"
	cliflag "k8s.io/component-base/cli/flag"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/clusters/providers"
	"github.com/dra-conformance/dratest/clusters/versions"
	"github.com/dra-conformance/dratest/framework/perf"
	"github.com/dra-conformance/dratest/framework/prove"
	"github.com/dra-conformance/dratest/framework/run"
	"github.com/dra-conformance/dratest/framework/testbed"
	"github.com/dra-conformance/dratest/reports"
)

// proveFlags are the flags of all commands that do trials.
type proveFlags struct {
	prove.Options

	shard, podImage, agentImage string

	// Which cluster the trials are about.
	kubeconfig, context string
	config              clusters.Config
	stack               stackFlags

	// Of mutants.
	restOf       []string
	changedSince string
	disruptive   bool

	runs, blocks int    // of thresholds
	from         string // of gates
}

func (f *proveFlags) add(flags *pflag.FlagSet) {
	flags.StringSliceVar(&f.Only, "only", nil, "only these trials")
	flags.StringVar(&f.shard, "shard", "", "only this part of the trials, as 1/3 for the first of three")
	flags.BoolVar(&f.Resume, "resume", false, "go on with the proof in --report-dir, which must be of this dratest and of the same trials")
	flags.StringVar(&f.ReportDir, "report-dir", "", "directory for the record and the trials' reports (default $ARTIFACTS, or ./_artifacts)")
}

// addImages adds the flags of proofs that run pods.
func (f *proveFlags) addImages(flags *pflag.FlagSet) {
	flags.StringVar(&f.podImage, "pod-image", podImage, "image that pods run: a busybox")
	flags.StringVar(&f.agentImage, "agent-image", "", "image of the test driver dra-sim (default the one in dratest's node images)")
}

// addMade adds the flags of proofs that make their clusters, of a version that they know.
func (f *proveFlags) addMade(flags *pflag.FlagSet) {
	flags.StringVar(&f.config.Name, "name", f.config.Name, "name of the cluster that is made; the beginning of their names if there are several")
}

// addVersion adds the flags of proofs that make clusters of any version.
func (f *proveFlags) addVersion(flags *pflag.FlagSet) {
	f.addMade(flags)
	flags.StringVar(&f.config.Version, "version", "", "its Kubernetes version, as v1.37.1 (default the newest known one)")
}

// addCluster adds the flags of proofs that make any cluster, or take one.
func (f *proveFlags) addCluster(flags *pflag.FlagSet) {
	f.addImages(flags)
	name := f.config.Name
	addClusterFlags(flags, &f.kubeconfig, &f.context, &f.config)
	f.stack.add(flags)
	flags.Lookup("name").Usage, flags.Lookup("name").DefValue = "name of the cluster that is made", name
	f.config.Name = name
}

func (f *proveFlags) addMutants(flags *pflag.FlagSet) {
	f.addCluster(flags)
	flags.StringVar(&f.config.Provider, "provider", "", "make the cluster with this provider: kind (the default) or controlplane")
	flags.Var(cliflag.NewMapStringBool(&f.config.FeatureGates), "feature-gates", "feature gates of the cluster that is made, for cases that need some that are off by default, as A=true,B=false")
	f.config.RuntimeConfig = map[string]string{}
	flags.Var((*cliflag.ConfigurationMap)(&f.config.RuntimeConfig), "runtime-config", "APIs of the cluster that is made to switch on or off, as resource.k8s.io/v1beta1=true")
	flags.StringSliceVar(&f.restOf, "rest-of", nil, "only what the proofs in these report directories leave, which were of other clusters")
	flags.Func("changed-since", "only mutants that are about what has changed in the checkout since this `commit`, as git knows it", func(commit string) error {
		if f.changedSince = commit; commit == "" {
			return errors.New("--changed-since needs a commit")
		}
		return nil
	})
	flags.BoolVar(&f.disruptive, "disruptive", false, "with --kubeconfig: run cases that restart kubelets and nodes or need the cluster alone, too; in clusters that are made they always run")
}

func (f *proveFlags) addAccess(flags *pflag.FlagSet) {
	f.addImages(flags)
	f.addVersion(flags)
	flags.StringVar(&f.config.Provider, "provider", "", "who makes it: kind (default) or controlplane, for the trials without one right only, in a minute")
}

func (f *proveFlags) addLife(flags *pflag.FlagSet) {
	f.addImages(flags)
	f.addVersion(flags)
}

func (f *proveFlags) addThresholds(flags *pflag.FlagSet) {
	f.addVersion(flags)
	flags.IntVar(&f.runs, "runs", 20, "how many runs of two that are the same, as many with a slower one, and half as many beside others")
	flags.IntVar(&f.blocks, "blocks", perf.DefaultBlocks, "blocks of each run")
}

func (f *proveFlags) addUpgrade(flags *pflag.FlagSet) {
	f.addImages(flags)
	f.addMade(flags)
}

func (f *proveFlags) addGates(flags *pflag.FlagSet) {
	f.addUpgrade(flags)
	flags.StringVar(&f.from, "from", "1.36", "Kubernetes version of the clusters")
}

// where is the cluster in words, for the proof's record.
func (f *proveFlags) where() string {
	if f.kubeconfig != "" {
		return strings.TrimSpace("the cluster of " + f.kubeconfig + " " + f.context)
	}
	config := f.config.WithDefaults(versions.Newest().Kubernetes)
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

// testbed is that of the proof.
func (f *proveFlags) testbed(out io.Writer) testbed.Config {
	return testbed.Config{Kubeconfig: f.kubeconfig, Context: f.context, Cluster: f.config, PodImage: f.podImage, Out: out}
}

// cases are what runs of cases need in the proof's cluster.
func (f *proveFlags) cases(out io.Writer) (run.Parts, run.Options) {
	agents, p := simAgents(f.agentImage), parts()
	p.Agents, p.Clusters = agents, providers.NewClusters(progress.New(out))
	return p, run.Options{Config: f.testbed(out), Driver: reports.DriverOf(agents.Driver())}
}
