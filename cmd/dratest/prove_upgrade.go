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
	"path/filepath"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/images"
	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/clusters/providers"
	"github.com/dra-conformance/dratest/framework/prove"
	"github.com/dra-conformance/dratest/framework/prove/upgrades"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/suites/requirements"
	"github.com/dra-conformance/dratest/upgrade/cases"
	"github.com/dra-conformance/dratest/upgrade/matrix"
	"github.com/dra-conformance/dratest/upgrade/run"
)

// upgradeDir is the report directory of the upgrade shared by all trials.
const upgradeDir = "upgrade"

func (f *proveFlags) upgrade(context.Context) (prove.Proof, prove.Prover, error) {
	proof := upgrades.Proof()
	proof.Where = "cluster " + f.Cluster.Name
	trials, err := f.Select(proof)
	return proof, &upgrades.Prover{Series: f.series(), Dir: filepath.Join(f.ReportDir, upgradeDir), Trials: trials}, err
}

func (f *proveFlags) gates(context.Context) (prove.Proof, prove.Prover, error) {
	return matrix.GatesProof(f.from), &matrix.Gates{Series: f.series(), From: f.from}, nil
}

func (f *proveFlags) skew(context.Context) (prove.Proof, prove.Prover, error) {
	proof, series := matrix.SkewProof(), f.series()
	proof.Where = "cluster " + f.Cluster.Name
	p, o := f.cases()
	p.Clusters = series.Parts.Clusters // knows the locally built components
	o.Disruptive = true
	return proof, &matrix.Skew{Series: series, Dir: filepath.Join(f.ReportDir, upgradeDir), Suite: p, SuiteOptions: o}, nil
}

// series returns the parts and options for upgrades in trials.
func (f *proveFlags) series() run.Series {
	p, agents := progress.New(f.Out), simAgents(f.agentImage)
	s := run.Series{Parts: run.Parts{Clusters: providers.NewClusters(p), Agents: agents, Cases: cases.All(), Requirements: requirements.All(), Software: &run.Built{Builder: images.Local{Progress: p}}}}
	s.Options = run.Options{Config: f.Config, Driver: reports.DriverOf(agents.Driver())}
	s.Options.Cluster.NodeImageSource = clusters.SourceBuild // the components of all steps must match
	return s
}
