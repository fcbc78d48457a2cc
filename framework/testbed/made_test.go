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
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Known issues are also evaluated for components running as processes. Components invisible to a probe elsewhere
// excuse nothing, and neither do versions other than Kubernetes' releases.
func TestComponentsOfWhatWasMade(t *testing.T) {
	mixed := clusters.Stack{Scheduler: spec.Own, Controllers: spec.Stock, Kubelet: spec.None}
	other := spec.Component{Name: spec.Controllers, Version: "v1.36.0", Whose: spec.Other}
	is := func(name, version string, whose spec.Provenance) spec.Component {
		return spec.Component{Name: name, Program: name, Version: version, Whose: whose}
	}
	const built, k3s = "v1.37.2-5+dirty", "v1.37.1+k3s1"
	claimed := func(name, version, release string) spec.Component {
		c := is(name, version, spec.Other)
		c.Basis, c.Why = spec.Claimed, fmt.Sprintf("its version %q names a distribution's build of %s", version, release)
		return c
	}
	for name, tc := range map[string]struct {
		provider, version string
		seen, want        []spec.Component
	}{
		"processes":         {clusters.ProviderControlPlane, "v1.37.1", nil, []spec.Component{is(spec.Scheduler, "v1.37.1", spec.Own), is(spec.Controllers, "v1.37.1", spec.Stock)}},
		"one is seen":       {clusters.ProviderControlPlane, "v1.37.1", []spec.Component{other}, []spec.Component{other, is(spec.Scheduler, "v1.37.1", spec.Own)}},
		"of a checkout":     {clusters.ProviderControlPlane, built, nil, []spec.Component{is(spec.Scheduler, built, spec.Own), claimed(spec.Controllers, built, "v1.37.2")}},
		"of k3s":            {clusters.ProviderControlPlane, k3s, nil, []spec.Component{is(spec.Scheduler, k3s, spec.Own), claimed(spec.Controllers, k3s, "v1.37.1")}},
		"pods, none seen":   {clusters.ProviderKind, "v1.37.1", nil, nil},
		"nothing is known":  {"", "", []spec.Component{other}, []spec.Component{other}},
		"pods, one is seen": {clusters.ProviderKind, "v1.37.1", []spec.Component{other}, []spec.Component{other}},
	} {
		t.Run(name, func(t *testing.T) {
			made := clusters.Cluster{Provider: tc.provider, Version: tc.version, Stack: mixed}
			if diff := cmp.Diff(tc.want, withMadeRunning(tc.seen, made)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// All processes of a distribution's control plane have its suffix, the scheduler like the API server.
func TestSchedulerOfADistribution(t *testing.T) {
	made := clusters.Cluster{Provider: clusters.ProviderControlPlane, Version: "v1.37.1+k3s1", Stack: clusters.Stack{Scheduler: spec.Stock, Controllers: spec.Stock}}
	running := withMadeRunning(nil, made)
	if len(running) != 2 {
		t.Fatalf("got %+v", running)
	}
	for _, c := range running {
		if c.Whose != spec.Other || c.Basis != spec.Claimed || c.Version != made.Version {
			t.Errorf("got %+v", c)
		}
	}
}

// Components running as processes are invisible to a probe; a probe's observations take precedence.
func TestStackOfWhatWasMade(t *testing.T) {
	made := clusters.Stack{Scheduler: spec.Own, Controllers: spec.None}
	for name, tc := range map[string]struct{ seen, want map[string]string }{
		"unseen": {nil, map[string]string{"scheduler": "own"}},
		"seen":   {map[string]string{"scheduler": "stock", "kubelet": "stock"}, map[string]string{"scheduler": "stock", "kubelet": "stock"}},
	} {
		if diff := cmp.Diff(tc.want, withMade(tc.seen, made)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// A scheduler running as a process of a control plane is not queried, and has the gates of all its components;
// elsewhere it has the gates observed by a probe.
func TestGatesOfMadeScheduler(t *testing.T) {
	seen := spec.Target{Gates: map[spec.Feature]bool{spec.FilterTimeout: false, spec.DeviceTaints: true}, SchedulerGatesUnseen: "no pod"}
	made := clusters.Cluster{Provider: clusters.ProviderControlPlane, Stack: clusters.Stack{Scheduler: spec.Stock}}
	if got := withMadeGates(seen, made); got.SchedulerGatesUnseen != "" || len(got.SchedulerGates) != 1 || got.SchedulerGates[spec.FilterTimeout] {
		t.Errorf("got %v, unseen %q", got.SchedulerGates, got.SchedulerGatesUnseen)
	}
	for _, other := range []clusters.Cluster{{Provider: clusters.ProviderKind, Stack: made.Stack}, {Provider: clusters.ProviderControlPlane, Stack: clusters.Stack{Scheduler: spec.None}}} {
		if got := withMadeGates(seen, other); got.SchedulerGatesUnseen != "no pod" || got.SchedulerGates != nil {
			t.Errorf("%+v: got %v, unseen %q", other, got.SchedulerGates, got.SchedulerGatesUnseen)
		}
	}
}
