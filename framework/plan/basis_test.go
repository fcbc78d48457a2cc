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

func TestBasis(t *testing.T) {
	built := spec.Digests{{Program: "kube-scheduler", Version: "v1.37.1"}: {"sha256:config", "sha256:manifest"}}
	stock := spec.Component{Name: spec.Scheduler, Program: "kube-scheduler", Version: "v1.37.1", Whose: spec.Stock, Digest: "sha256:manifest"}
	with := func(change func(*spec.Component)) spec.Component {
		c := stock
		change(&c)
		return c
	}
	for name, tc := range map[string]struct {
		component spec.Component
		assumed   []string
		whose     spec.Provenance
		basis     spec.Basis
		why       string
	}{
		"the digest of what was built": {component: stock, whose: spec.Stock, basis: spec.Proven},
		"one byte is another": {component: with(func(c *spec.Component) { c.Digest = "sha256:changed" }),
			whose: spec.Stock, basis: spec.Claimed, why: "its digest differs from the kube-scheduler v1.37.1"},
		"the digest of another version": {component: with(func(c *spec.Component) { c.Version = "v1.36.4" }),
			whose: spec.Stock, basis: spec.Claimed, why: "has built no kube-scheduler v1.36.4"},
		"no digest is seen": {component: with(func(c *spec.Component) { c.Digest = "" }), whose: spec.Stock, basis: spec.Claimed, why: "not seen"},
		"of another repository, with the digest": {component: with(func(c *spec.Component) { c.Whose, c.Why = spec.Other, "its image" }),
			whose: spec.Other, why: "its image"},
		"declared": {component: with(func(c *spec.Component) { c.Whose, c.Digest = spec.Other, "x" }), assumed: []string{spec.Scheduler},
			whose: spec.Stock, basis: spec.Declared},
		"declared, and proven":      {component: stock, assumed: []string{spec.Scheduler}, whose: spec.Stock, basis: spec.Proven},
		"another one is declared":   {component: with(func(c *spec.Component) { c.Whose = spec.Other }), assumed: []string{spec.Kubelet}, whose: spec.Other},
		"own, which is declared":    {component: with(func(c *spec.Component) { c.Whose = spec.Own }), assumed: []string{spec.Scheduler}, whose: spec.Own, basis: spec.Claimed},
		"seen again with no digest": {component: with(func(c *spec.Component) { c.Basis, c.Digest = spec.Proven, "" }), whose: spec.Stock, basis: spec.Claimed, why: "not seen"},
	} {
		t.Run(name, func(t *testing.T) {
			got := plan.WithBasis(spec.Target{Running: []spec.Component{tc.component}}, built, tc.assumed).Running[0]
			if got.Whose != tc.whose || got.Basis != tc.basis || (got.Why == "") != (tc.why == "") && tc.basis != spec.Declared || !strings.Contains(got.Why, tc.why) {
				t.Errorf("got %+v", got)
			}
		})
	}
}

// The control plane of a managed cluster cannot be seen.
func TestUnseenIsDeclared(t *testing.T) {
	target := plan.WithBasis(spec.Target{Kubernetes: "v1.37.1-gke.1"}, nil, []string{spec.Controllers})
	issue := spec.KnownIssue{Component: spec.Controllers, Through: "1.37"}
	if got := plan.ExcuseFor(issue, target, nil); got.Not != "" || got.Basis != spec.Declared || got.Who != "controllers v1.37.1-gke.1" {
		t.Errorf("got %+v", got)
	}
	hidden := spec.Target{Kubernetes: "v1.37.1-gke.1", Gates: map[spec.Feature]bool{spec.FilterTimeout: true}, SchedulerGatesUnseen: "no pod of the scheduler can be seen"}
	for declared, want := range map[string]spec.SkipCode{spec.Controllers: spec.SkipFeatureUnseen, spec.Scheduler: ""} {
		var code spec.SkipCode
		if s := spec.FilterTimeout.Missing(plan.WithBasis(hidden, nil, []string{declared})); s != nil {
			code = s.Code
		}
		if code != want {
			t.Errorf("feature of a hidden scheduler, with %s declared: %q", declared, code)
		}
	}
	target = plan.WithBasis(spec.Target{Kubernetes: "some-1.37"}, nil, []string{"apiserver"})
	if got := plan.ExcuseFor(spec.KnownIssue{Component: spec.APIServer, Through: "1.37"}, target, nil); !strings.Contains(got.Not, `the version "some-1.37"`) {
		t.Errorf("got %+v", got)
	}
	target = plan.WithBasis(spec.Target{Kubernetes: "v1.37.1-gke.1"}, nil, []string{"apiserver"})
	if got := plan.ExcuseFor(spec.KnownIssue{Component: spec.APIServer, Through: "1.37"}, target, nil); got.Not != "" || got.Basis != spec.Declared {
		t.Errorf("got %+v", got)
	}
	issue.Component = spec.Scheduler
	if got := plan.ExcuseFor(issue, target, nil); !strings.Contains(got.Not, "the scheduler cannot be seen; --assume-stock=scheduler") {
		t.Errorf("got %+v", got)
	}
}
