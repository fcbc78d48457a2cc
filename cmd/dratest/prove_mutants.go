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
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/images"
	"github.com/dra-conformance/dratest/clusters/images/own"
	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/clusters/providers"
	"github.com/dra-conformance/dratest/clusters/versions"
	"github.com/dra-conformance/dratest/framework/explore"
	"github.com/dra-conformance/dratest/framework/prove"
	"github.com/dra-conformance/dratest/framework/prove/combined"
	"github.com/dra-conformance/dratest/framework/prove/components"
	"github.com/dra-conformance/dratest/framework/prove/mutants"
	"github.com/dra-conformance/dratest/framework/run"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
)

func (f *proveFlags) mutants(ctx context.Context) (prove.Proof, prove.Prover, error) {
	set, err := f.allMutants(ctx)
	if err != nil {
		return set.Proof, nil, err
	}
	if f.changedSince != "" && len(f.Only) == 0 {
		_, err = fmt.Fprintf(f.Out, "mutants: what has changed since %s is about none of them\n", f.changedSince)
		return set.Proof, nil, err
	}
	trials, err := f.Select(set.Proof)
	if err != nil {
		return set.Proof, nil, err
	}
	if f.Cluster.Provider == clusters.ProviderControlPlane {
		f.Cluster.Nodes = max(f.Cluster.Nodes, simulatedNodes)
	}
	overlay, err := set.BuildInto(&f.Cluster, f.Kubeconfig, trials)
	if err != nil {
		return set.Proof, nil, err
	}
	set.Proof.Where = f.where()
	provider := providers.NewClustersWith(progress.New(f.Out), overlay)
	p, o := f.cases()
	p.Clusters = provider
	o.Disruptive, o.RestartNodes, o.Overlay = f.disruptive, f.disruptive, overlay
	return set.Proof, &mutants.Prover{Parts: p, Options: o, Set: set, Provider: provider}, clusters.Usage(o.Validate())
}

// stock puts published bugs into Kubernetes' own components, on a control plane.
func (f *proveFlags) stock(ctx context.Context) (prove.Proof, prove.Prover, error) {
	set, err := mutants.LoadStock(run.Metas(parts().Cases))
	if err != nil {
		return set.Proof, nil, err
	}
	trials, err := f.Select(set.Proof)
	if err != nil {
		return set.Proof, nil, err
	}
	f.Cluster.Provider, f.Cluster.Nodes, f.Cluster.Stack = clusters.ProviderControlPlane, simulatedNodes, clusters.AllStock()
	f.Cluster.Version = versions.Newest().Kubernetes
	set.Proof.Where = f.where()
	if f.Cluster.Programs, err = stockPrograms(ctx, images.Local{Progress: progress.New(f.Out)}, f.Cluster.Version, set.Components, trials); err != nil {
		return set.Proof, nil, err
	}
	p, o := f.cases()
	return set.Proof, &mutants.Prover{Parts: p, Options: o, Set: set, Provider: providers.NewClusters(progress.New(f.Out))}, clusters.Usage(o.Validate())
}

// combined explores mechanical mutants of this project's scheduler, on a control plane.
func (f *proveFlags) combined(context.Context) (prove.Proof, prove.Prover, error) {
	if f.count < 1 || f.problems < 1 { // Without a limit, an undetected mutant is explored forever.
		return prove.Proof{}, nil, withCode(codeUsage, fmt.Errorf("count and problems: %d and %d: must be at least 1", f.count, f.problems))
	}
	root, err := own.Checkout("mutants are built from a checkout of dratest: run this in one")
	if err != nil {
		return prove.Proof{}, nil, err
	}
	all, err := combined.Candidates(os.DirFS(filepath.Join(root, "implementation")))
	if err != nil {
		return prove.Proof{}, nil, err
	}
	drawn := combined.Draw(all, f.seed, f.count)
	proof := combined.Proof(drawn)
	if _, err := f.Select(proof); err != nil {
		return proof, nil, err
	}
	overlay, err := components.Overlay(os.DirFS(root), combined.Mutants(drawn))
	if err != nil {
		return proof, nil, err
	}
	f.Cluster.Provider, f.Cluster.Stack = clusters.ProviderControlPlane, clusters.Stack{Scheduler: spec.Own}
	proof.Where = fmt.Sprintf("%s, %d problems of seed %d", f.where(), f.problems, f.seed)
	provider := providers.NewClustersWith(progress.New(f.Out), overlay)
	return proof, &combined.Prover{
		Parts: testbed.Parts{Clusters: provider, Agents: simAgents("")}, Provider: provider,
		Options: explore.Options{Config: f.Config, Seed: f.seed, Problems: f.problems, Parallel: 24},
	}, nil
}

// stockPrograms builds the programs of the trials, each with all of its mutants, and returns their paths.
func stockPrograms(ctx context.Context, local images.Local, version string, all []components.Mutant, trials []prove.Trial) (map[string]string, error) {
	byProgram, wanted := map[string][]components.Mutant{}, map[string]bool{}
	for _, m := range all {
		program := components.StockProgram(m.Component())
		byProgram[program] = append(byProgram[program], m)
		wanted[program] = wanted[program] || slices.ContainsFunc(trials, func(t prove.Trial) bool { return t.ID == m.ID })
	}
	paths := map[string]string{}
	for _, program := range slices.Sorted(maps.Keys(byProgram)) {
		if !wanted[program] {
			continue
		}
		path, err := local.ChangedProgram(ctx, version, program, components.StockModules(), func(modules fs.FS) (map[string][]byte, error) {
			return components.StockOverlay(modules, byProgram[program])
		})
		if err != nil {
			return nil, err
		}
		paths[program] = path
	}
	return paths, nil
}

// allMutants returns the mutants left by --rest-of. --changed-since narrows --only.
func (f *proveFlags) allMutants(ctx context.Context) (mutants.Set, error) {
	set, err := mutants.Load(run.Metas(parts().Cases))
	if err != nil {
		return set, err
	}
	if len(f.restOf) > 0 {
		if set.Proof, err = prove.Rest(set.Proof, f.Suite, f.restOf); err != nil {
			return set, withCode(codeUsage, err)
		}
	}
	if f.changedSince == "" {
		return set, nil
	}
	root, err := own.Checkout("--changed-since needs a checkout of dratest around the working directory")
	if err != nil {
		return set, err
	}
	f.Only, err = set.ChangedFirst(ctx, root, f.changedSince, f.Only)
	return set, err
}
