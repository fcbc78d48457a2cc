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
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/client-go/kubernetes"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/images"
	"github.com/dra-conformance/dratest/clusters/images/own"
	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/clusters/providers"
	"github.com/dra-conformance/dratest/framework/perf"
	"github.com/dra-conformance/dratest/framework/prove"
	"github.com/dra-conformance/dratest/framework/prove/access"
	"github.com/dra-conformance/dratest/framework/prove/checks"
	"github.com/dra-conformance/dratest/framework/prove/soaks"
	"github.com/dra-conformance/dratest/framework/prove/thresholds"
	"github.com/dra-conformance/dratest/framework/soak"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
	"github.com/dra-conformance/dratest/suites/sanity"
)

func (f *proveFlags) access(context.Context) (prove.Proof, prove.Prover, error) {
	proof := access.Proof(f.Cluster.Provider != clusters.ProviderControlPlane)
	proof.Where = f.where()
	p, o := f.cases()
	return proof, &access.Prover{Parts: p, Options: o}, clusters.Usage(o.Validate())
}

func (f *proveFlags) soak(context.Context) (prove.Proof, prove.Prover, error) {
	proof := soaks.Proof()
	proof.Where = f.where()
	o := soaks.Load(soak.Options{Config: f.Config})
	p := soak.Parts{Parts: testbed.Parts{Clusters: providers.NewClusters(progress.New(f.Out)), Agents: simAgents(f.agentImage)}}
	return proof, &soaks.Prover{Parts: p, Options: o}, clusters.Usage(o.Validate())
}

func (f *proveFlags) bugs(context.Context) (prove.Proof, prove.Prover, error) {
	f.Cluster.Provider = clusters.ProviderControlPlane
	proof := checks.Proof()
	if f.pairs != 0 {
		var err error
		if proof, err = checks.Pairs(f.pairs, f.seed); err != nil {
			return proof, nil, withCode(codeUsage, err)
		}
	}
	proof.Where = f.where()
	program, err := os.Executable()
	if err != nil {
		return proof, nil, fmt.Errorf("find the test driver: %w", err)
	}
	return proof, &checks.Prover{
		Parts:  testbed.Parts{Clusters: providers.NewClusters(progress.New(f.Out)), Agents: testbed.Sim{}},
		Config: f.Config, Program: filepath.Join(filepath.Dir(program), "dra-sim"), Check: checkMutant,
	}, nil
}

// checkMutant runs one sanity check against dra-sim.
func checkMutant(ctx context.Context, client kubernetes.Interface, s checks.LocalDriver, id string) (spec.Outcome, error) {
	outcomes, err := sanity.Run(ctx, sanity.Local{Socket: s.Sockets, CDIDirs: []string{s.CDIDir}, RegistryDir: s.RegistryDir}, sanity.Options{
		Driver: s.Driver, Node: s.Node, Client: client, Only: []string{id},
		Restart: s.Restart, Upgrade: s.Upgrade, Downgrade: s.Downgrade, CheckpointPaths: []string{s.Checkpoint},
		ValidConfig: []json.RawMessage{json.RawMessage(`{"sanity":"checks"}`), json.RawMessage(`{"sanity":"again"}`)}, InvalidConfig: []json.RawMessage{json.RawMessage(`{"sanity":1}`)},
	})
	if err != nil || len(outcomes) != 1 {
		return spec.Outcome{}, errors.Join(fmt.Errorf("check %s: %d outcomes", id, len(outcomes)), err)
	}
	return outcomes[0], nil
}

func (f *proveFlags) thresholds(context.Context) (prove.Proof, prove.Prover, error) {
	f.Cluster.Stack = clusters.Stack{Scheduler: spec.Own, Controllers: spec.Own}
	p, proof := progress.New(f.Out), thresholds.Proof(f.runs)
	proof.Where = fmt.Sprintf("%s, %d blocks", f.where(), f.blocks)
	prover := &thresholds.Prover{
		Clusters: providers.NewClusters(p), Config: f.Config, Blocks: f.blocks,
		Slower: func(ctx context.Context) (string, error) { return slowerScheduler(ctx, p, f.Cluster.Version) },
	}
	if f.runs < 1 || f.runs > 99 {
		return proof, nil, withCode(codeUsage, fmt.Errorf("runs: %d: must be between 1 and 99", f.runs))
	}
	if f.blocks < perf.MinBlocks {
		return proof, nil, withCode(codeUsage, fmt.Errorf("blocks: %d: an interval needs %d", f.blocks, perf.MinBlocks))
	}
	return proof, prover, nil
}

// slowerScheduler builds dra-scheduler with thresholds.Slower.
func slowerScheduler(ctx context.Context, p *progress.Printer, version string) (string, error) {
	root, err := own.Checkout("a slower scheduler is built from a checkout: run this in one")
	if err != nil {
		return "", err
	}
	overlay, err := thresholds.Slower(os.DirFS(root))
	if err != nil {
		return "", err
	}
	path, _, err := images.Local{Progress: p, Overlay: overlay}.SchedulerProgram(ctx, version, "")
	return path, err
}
