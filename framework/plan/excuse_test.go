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

package plan_test

import (
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/framework/plan"
	"github.com/dra-conformance/dratest/framework/spec"
)

// component is one of Kubernetes' own, unless changed.
func component(name, node, version string, change ...func(*spec.Component)) spec.Component {
	c := spec.Component{Name: name, Program: "kube-" + name, Node: node, Version: version, Whose: spec.Stock, Basis: spec.Proven, Digest: "sha256:a"}
	for _, do := range change {
		do(&c)
	}
	return c
}

func whose(w spec.Provenance) func(*spec.Component) { return func(c *spec.Component) { c.Whose = w } }

func basis(b spec.Basis, digest string) func(*spec.Component) {
	return func(c *spec.Component) { c.Basis, c.Digest, c.Why = b, digest, "because" }
}

func TestExcuseOfKubelets(t *testing.T) {
	target := spec.Target{Running: []spec.Component{
		component(spec.Kubelet, "old", "v1.36.4"), component(spec.Kubelet, "stock", "v1.37.1"),
		component(spec.Kubelet, "own", "v1.37.1+dratest", whose(spec.Own)), component(spec.Kubelet, "other", "v1.37.1", whose(spec.Other)),
		component(spec.Kubelet, "claimed", "v1.37.1", basis(spec.Claimed, "sha256:b")), component(spec.Kubelet, "declared", "v1.37.1", basis(spec.Declared, "")),
		component(spec.Kubelet, "new", "v1.38.0-alpha.1"), component(spec.Kubelet, "odd", "unknown"), component(spec.Kubelet, "patched", "v1.37.2"),
	}}
	for _, tc := range []struct {
		name, from, through string
		nodes               []string
		basis               spec.Basis
		not, unreviewed     string
	}{
		{"kubelets of named releases", "", "1.37", []string{"old", "stock"}, spec.Proven, "", ""},
		{"one of this project", "", "1.37", []string{"stock", "own"}, "", "the kube-kubelet of own is this project's", ""},
		{"one of somebody else", "", "1.37", []string{"stock", "other"}, "", "of other is not Kubernetes' own", ""},
		{"of several the weakest", "", "1.37", []string{"stock", "claimed", "declared"}, spec.Claimed, "", ""},
		{"declared", "", "1.37", []string{"declared", "stock"}, spec.Declared, "", ""},
		{"not reviewed for the release", "", "1.37", []string{"stock", "new"}, spec.Proven, "", "the kube-kubelet of new is v1.38.0-alpha.1, and the issue was reviewed through 1.37"},
		{"gone in a patch release", "", "1.37.1", []string{"new"}, "", "v1.38.0-alpha.1, and the issue was last seen in 1.37.1", ""},
		{"newer than the patch release", "", "1.37.1", []string{"patched"}, "", "v1.37.2, and the issue was last seen in 1.37.1", ""},
		{"the patch release", "", "1.37.1", []string{"stock", "old"}, spec.Proven, "", ""},
		{"older than the first", "1.37.1", "1.37", []string{"old"}, "", "v1.36.4, and the issue was first seen in 1.37.1", ""},
		{"version that is none", "", "1.37", []string{"odd"}, "", `"unknown"`, ""},
		{"node that is not known", "", "1.37", []string{"stock", "gone"}, "", "the kubelet of gone cannot be seen", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := plan.ExcuseFor(spec.KnownIssue{Component: spec.Kubelet, From: tc.from, Through: tc.through}, target, tc.nodes)
			if (got.Not == "") != (tc.not == "") || !strings.Contains(got.Not, tc.not) || got.Basis != tc.basis || got.Unreviewed != tc.unreviewed {
				t.Errorf("got %+v", got)
			}
		})
	}
}

// Upgrades do not determine the provenance of components.
func TestUnknownBasisIsNotProven(t *testing.T) {
	unknown := component(spec.Scheduler, "a", "v1.37.1", basis("", "sha256:a"))
	if got := plan.ExcuseFor(spec.KnownIssue{Component: spec.Scheduler, Through: "1.37"}, spec.Target{Running: []spec.Component{unknown}}, nil); got.Basis == spec.Proven {
		t.Errorf("got %+v", got)
	}
}

func TestReplicasMustAgree(t *testing.T) {
	first := component(spec.Scheduler, "a", "v1.37.1")
	claimed := component(spec.Scheduler, "a", "v1.37.1", basis(spec.Claimed, "sha256:b"))
	for name, tc := range map[string]struct {
		running []spec.Component
		not     string
	}{
		"alike":                       {[]spec.Component{first, component(spec.Scheduler, "b", "v1.37.1")}, ""},
		"of two architectures":        {[]spec.Component{first, component(spec.Scheduler, "b", "v1.37.1", basis(spec.Proven, "sha256:arm"))}, ""},
		"two that are claimed, alike": {[]spec.Component{claimed, component(spec.Scheduler, "b", "v1.37.1", basis(spec.Claimed, "sha256:b"))}, ""},
		"one is of somebody else":     {[]spec.Component{first, component(spec.Scheduler, "b", "v1.37.1", whose(spec.Other))}, "its replicas differ: stock kube-scheduler v1.37.1"},
		"one has changed":             {[]spec.Component{first, component(spec.Scheduler, "b", "v1.37.1", basis(spec.Claimed, "sha256:c"))}, "sha256:a on a, stock kube-scheduler v1.37.1 (claimed) sha256:c on b"},
		"of two versions":             {[]spec.Component{first, component(spec.Scheduler, "b", "v1.36.4")}, "its replicas differ"},
	} {
		t.Run(name, func(t *testing.T) {
			got := plan.ExcuseFor(spec.KnownIssue{Component: spec.Scheduler, Through: "1.37"}, spec.Target{Running: tc.running}, nil)
			if (got.Not == "") != (tc.not == "") || !strings.Contains(got.Not, tc.not) {
				t.Errorf("got %+v", got)
			}
			if tc.not == "" && got.Who != "kube-scheduler v1.37.1" {
				t.Errorf("it is %q", got.Who)
			}
		})
	}
}

func TestExcuseOfAPIServer(t *testing.T) {
	for version, not := range map[string]string{
		"v1.37.1": "", "v1.36.4": "", "v1.38.0": "",
		"v1.37.1+k3s1": "", "v1.37.1-gke.1067000": "", "v1.37.2-eks-abcdef": "v1.37.2-eks-abcdef, and the issue was last seen in 1.37.1",
		"unknown": `not Kubernetes' own: its version is "unknown", which is not a release of Kubernetes; --assume-stock=apiserver`,
	} {
		through := "1.37"
		if strings.Contains(not, "1.37.1") {
			through = "1.37.1"
		}
		got := plan.ExcuseFor(spec.KnownIssue{Component: spec.APIServer, Through: through}, spec.Target{Kubernetes: version}, nil)
		if (got.Not == "") != (not == "") || !strings.Contains(got.Not, not) || got.Not == "" && got.Basis != spec.Claimed {
			t.Errorf("%s: got %+v", version, got)
		}
	}
}

// Every component of k3s says "v1.37.1+k3s1". Its known issues are those of v1.37.1, with
// a mark; the components stay those of a distribution.
func TestDistributionsAreClaimed(t *testing.T) {
	const version = "v1.37.1+k3s1"
	target := spec.Target{Kubernetes: version}
	for _, name := range []string{spec.Scheduler, spec.Controllers, spec.Kubelet} {
		target.Running = append(target.Running, component(name, "a", version, whose(spec.Other), basis("", "")).Judge())
	}
	target = plan.WithBasis(plan.WithBasis(target, nil, nil), nil, nil)
	for _, name := range []string{spec.Scheduler, spec.Controllers, spec.Kubelet, spec.APIServer} {
		got := plan.ExcuseFor(spec.KnownIssue{Component: name, Through: "1.37"}, target, []string{"a"})
		if got.Not != "" || got.Basis != spec.Claimed || got.Why != `its version "v1.37.1+k3s1" names a distribution's build of v1.37.1` {
			t.Errorf("%s: got %+v", name, got)
		}
		if name != spec.APIServer && target.Stack[name] != string(spec.Other) {
			t.Errorf("%s counts as %s", name, target.Stack[name])
		}
	}
}
