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
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"k8s.io/client-go/rest"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/spec"
)

// machine has built a kubelet and nothing else.
type machine struct {
	clusters.Provider

	wanted []spec.Artifact
	err    error
}

func (m *machine) Digests(_ context.Context, wanted []spec.Artifact) (spec.Digests, error) {
	m.wanted = append(m.wanted, wanted...)
	return spec.Digests{{Program: "kubelet", Version: "v1.37.1"}: {"sha256:built"}}, m.err
}

// onNodes are agents reporting each kubelet's program.
type onNodes struct {
	Agents
	agentapi.AgentClient

	kubelets map[string]string
}

func (n onNodes) Connect(context.Context, *rest.Config) (agentapi.AgentClient, error) {
	return n, nil
}

func (n onNodes) GetKubeletDigest(_ context.Context, r *agentapi.NodeRequest, _ ...grpc.CallOption) (*agentapi.Digest, error) {
	if n.kubelets[r.Node] == "" {
		return nil, errors.New("no agent on " + r.Node)
	}
	return &agentapi.Digest{Digest: n.kubelets[r.Node]}, nil
}

func TestIdentify(t *testing.T) {
	var out bytes.Buffer
	m := &machine{}
	node := func(name string, schedulable bool) spec.Node {
		return spec.Node{Name: name, OS: "linux", Schedulable: schedulable, Kubelet: "v1.37.1"}
	}
	b := &Testbed{Progress: progress.New(&out), provider: m, agents: onNodes{kubelets: map[string]string{
		"as-built": "sha256:built", "changed": "sha256:changed", "not-asked": "sha256:built",
	}}}
	b.Target.Nodes = []spec.Node{node("as-built", true), node("changed", true), node("silent", true), node("not-asked", false)}
	for _, n := range b.Target.Nodes {
		b.Target.Running = append(b.Target.Running, spec.Component{Name: spec.Kubelet, Program: "kubelet", Node: n.Name, Version: n.Kubelet, Whose: spec.Stock})
	}
	b.Target.Running = append(b.Target.Running, spec.Component{Name: spec.Scheduler, Program: "kube-scheduler", Version: "v1.37.1", Whose: spec.Other})

	b.Identify(t.Context(), []string{spec.Scheduler}, false)
	for _, c := range b.Target.ComponentsOf(spec.Kubelet) {
		if c.Basis != spec.Claimed {
			t.Errorf("nobody was asked: %+v", c)
		}
	}
	b.Identify(t.Context(), []string{spec.Scheduler}, true)

	for _, c := range b.Target.Running {
		want := map[string]spec.Basis{"as-built": spec.Proven, "": spec.Declared}[c.Node]
		if want == "" {
			want = spec.Claimed
		}
		if c.Basis != want || c.Whose != spec.Stock {
			t.Errorf("got %+v, want %s", c, want)
		}
	}
	if len(m.wanted) != 1 {
		t.Errorf("digests of %v were computed", m.wanted)
	}
	if !strings.Contains(out.String(), "no agent on silent") || strings.Contains(out.String(), "not-asked") {
		t.Errorf("said %q", out.String())
	}
}

func TestIdentifyWithoutDigests(t *testing.T) {
	var out bytes.Buffer
	b := &Testbed{Progress: progress.New(&out), provider: &machine{err: errors.New("no go")}}
	b.Target.Running = []spec.Component{{Name: spec.Kubelet, Program: "kubelet", Version: "v1.37.1", Whose: spec.Stock, Digest: "sha256:built"}}
	b.made.Stack.Scheduler = spec.Own // a process, invisible to probes
	b.Identify(t.Context(), nil, false)
	if b.Target.Stack[spec.Scheduler] != "own" {
		t.Errorf("what was made is forgotten: %v", b.Target.Stack)
	}
	if b.Target.Running[0].Basis != spec.Claimed || !strings.Contains(out.String(), "no go") {
		t.Errorf("got %+v, said %q", b.Target.Running[0], out.String())
	}
}
