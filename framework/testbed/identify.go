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

package testbed

import (
	"context"
	"slices"
	"time"

	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/plan"
	"github.com/dra-conformance/dratest/framework/spec"
)

// digester is a provider with digests of Kubernetes builds of this machine.
type digester interface {
	Digests(ctx context.Context, wanted []spec.Artifact) (spec.Digests, error)
}

// inspectTime bounds the reading of one kubelet's program.
const inspectTime = 20 * time.Second

// Identify determines the components' provenance: from the digests of builds on this machine, and from the components
// declared by the user as Kubernetes' own. Without agents, before Install, a kubelet's digest is unknown. Missing
// information makes the provenance less certain, and is no error.
func (b *Testbed) Identify(ctx context.Context, assumed []string, agents bool) {
	if agents {
		b.inspect(ctx)
	}
	if b.built == nil {
		b.built = b.digests(ctx)
	}
	b.Target = plan.WithBasis(b.Target, b.built, assumed)
	b.Target.Stack = withMade(b.Target.Stack, b.made.Stack)
}

// digests are compared with observed ones, so they never come from the cluster.
func (b *Testbed) digests(ctx context.Context) spec.Digests {
	d, ok := b.provider.(digester)
	if !ok {
		return spec.Digests{}
	}
	var wanted []spec.Artifact
	for _, c := range b.Target.Running {
		if a := (spec.Artifact{Program: c.Program, Version: c.Version}); c.Whose == spec.Stock && !slices.Contains(wanted, a) {
			wanted = append(wanted, a)
		}
	}
	built, err := d.Digests(ctx, wanted)
	if err != nil {
		b.Progress.Printf("  -- it is not known what this machine has built of Kubernetes, so nothing is proven to be that: %v", err)
		return spec.Digests{}
	}
	return built
}

// inspect asks the agents for the programs of the cases' kubelets.
func (b *Testbed) inspect(ctx context.Context) {
	agents, err := b.agents.Connect(ctx, b.REST)
	if err != nil {
		return // cases say so if nothing answers
	}
	if c, ok := agents.(interface{ Close() }); ok {
		defer c.Close()
	}
	running := slices.Clone(b.Target.Running)
	for n := range running {
		c := &running[n]
		if c.Name != spec.Kubelet || !slices.Contains(b.Target.Workers(), c.Node) {
			continue
		}
		asking, cancel := context.WithTimeout(ctx, inspectTime)
		program, err := agents.GetKubeletDigest(asking, &agentapi.NodeRequest{Node: c.Node})
		if err != nil {
			b.Progress.Printf("  -- %v", err)
		}
		c.Digest = program.GetDigest()
		cancel()
	}
	b.Target.Running = running
}
