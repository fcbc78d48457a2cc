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
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dra-conformance/dratest/framework/plan"
	"github.com/dra-conformance/dratest/framework/spec"
)

func meta(id string, change ...func(*spec.Meta)) spec.Meta {
	m := spec.Meta{ID: id, Checks: "It holds.", Requires: []spec.RequirementID{"kep-4381/x"}}
	for _, c := range change {
		c(&m)
	}
	return m
}

func needs(n spec.Needs) func(*spec.Meta) { return func(m *spec.Meta) { m.Needs = n } }

func restarts(kind spec.NodeKind) func(*spec.Meta) {
	return func(m *spec.Meta) { m.Needs.Restarts, m.SerialBecause = kind, "It restarts a node." }
}

func node(name string) spec.Node { return spec.Node{Name: name, OS: "linux", Schedulable: true} }

func ids(metas []spec.Meta) []string {
	var out []string
	for _, m := range metas {
		out = append(out, m.ID)
	}
	return out
}

func TestSelect(t *testing.T) {
	metas := []spec.Meta{
		meta("core/one", func(m *spec.Meta) { m.Aliases = []string{"core/first"} }),
		meta("core/two", func(m *spec.Meta) { m.WaitsFor = "30 s"; m.Checks = "Slices vanish." }),
		meta("taints/one", needs(spec.Needs{Features: []spec.Feature{spec.DeviceTaints}})),
		meta("taints/two", func(m *spec.Meta) { m.SerialBecause = "it cordons nodes" }),
	}
	for name, tc := range map[string]struct {
		filter plan.Filter
		want   []string
	}{
		"everything":               {plan.Filter{}, []string{"core/one", "core/two", "taints/one", "taints/two"}},
		"focus on an id":           {plan.Filter{Focus: []string{"^core/"}}, []string{"core/one", "core/two"}},
		"an ID alone":              {plan.Filter{Focus: []string{"^core/one$"}}, []string{"core/one"}},
		"an earlier ID":            {plan.Filter{Focus: []string{"^core/first$"}}, []string{"core/one"}},
		"skip an ID alone":         {plan.Filter{Focus: []string{"^core/"}, Skip: []string{"^core/one$"}}, []string{"core/two"}},
		"focus on the text":        {plan.Filter{Focus: []string{"Slices"}}, []string{"core/two"}},
		"several focuses are or":   {plan.Filter{Focus: []string{"core/one", "taints/two"}}, []string{"core/one", "taints/two"}},
		"skip wins over focus":     {plan.Filter{Focus: []string{"core"}, Skip: []string{"two"}}, []string{"core/one"}},
		"area label":               {plan.Filter{Labels: "taints"}, []string{"taints/one", "taints/two"}},
		"feature label":            {plan.Filter{Labels: "Feature:DRADeviceTaints"}, []string{"taints/one"}},
		"feature set":              {plan.Filter{Labels: "Feature: isEmpty"}, []string{"core/one", "core/two", "taints/two"}},
		"not slow nor serial":      {plan.Filter{Labels: "!Slow && !Serial"}, []string{"core/one", "taints/one"}},
		"nothing left is no error": {plan.Filter{Labels: "nope"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := plan.Select(metas, tc.filter)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tc.want, ids(got)); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestSelectReportsAllProblemsOfTheFilter(t *testing.T) {
	_, err := plan.Select(nil, plan.Filter{Focus: []string{"("}, Skip: []string{"["}, Labels: "a &&"})
	for _, want := range []string{`focus "("`, `skip "["`, `label filter "a &&"`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
}

func TestBuildSkips(t *testing.T) {
	taints := needs(spec.Needs{Features: []spec.Feature{spec.DeviceTaints}})
	twoNodes := needs(spec.Needs{Nodes: 2})
	alone := func(m *spec.Meta) { m.Needs.Alone, m.SerialBecause = true, "It counts." }
	soon := needs(spec.Needs{BindingTimeout: 30 * time.Second})
	one := []spec.Node{node("a"), {Name: "cordoned", OS: "linux"}, {Name: "w", OS: "windows", Schedulable: true}}
	// node/health-declined failed with a kubelet 1.36 below an API server 1.37.
	kubelet := func(node, version string) spec.Component {
		return spec.Component{Name: spec.Kubelet, Program: "kubelet", Node: node, Version: version}
	}
	older := spec.Target{Nodes: one, Kubernetes: "v1.37.1", Running: []spec.Component{kubelet("a", "v1.36.4")}}
	elsewhere := spec.Target{Nodes: one, Kubernetes: "v1.37.1", Running: []spec.Component{kubelet("a", "v1.37.1"), kubelet("cordoned", "v1.36.4")}}
	for name, tc := range map[string]struct {
		meta   spec.Meta
		target spec.Target
		want   spec.SkipCode
		text   string
	}{
		"needs nothing": {meta("a/a"), spec.Target{Nodes: one}, "", ""},
		"gate on":       {meta("a/a", taints), spec.Target{Nodes: one, Gates: map[spec.Feature]bool{spec.DeviceTaints: true}}, "", ""},
		"gate off":      {meta("a/a", taints), spec.Target{Nodes: one, Gates: map[spec.Feature]bool{spec.DeviceTaints: false}}, spec.SkipFeature, "disabled in the cluster"},
		"gate not known yet": {meta("a/a", taints), spec.Target{Nodes: one, Kubernetes: "v1.32.0", Gates: map[spec.Feature]bool{spec.AdminAccess: true}},
			spec.SkipFeature, "unknown to Kubernetes v1.32.0"},
		"gate removed since": {meta("a/a", taints), spec.Target{Nodes: one, Kubernetes: "v1.41.1", Gates: map[spec.Feature]bool{spec.ExtendedResource: true}}, "", ""},
		// The rules are in v1beta2 and v1alpha3 there, and the cases requested v1.
		"gate on of a kind that v1 does not have yet": {meta("a/a", needs(spec.Needs{Features: []spec.Feature{spec.DeviceTaintRules}})),
			spec.Target{Nodes: one, Kubernetes: "v1.36.4", Gates: map[spec.Feature]bool{spec.DeviceTaintRules: true}},
			spec.SkipVersion, "needs Kubernetes 1.37 or newer, the cluster has v1.36.4"},
		"gate on of a kind that v1 has": {meta("a/a", needs(spec.Needs{Features: []spec.Feature{spec.DeviceTaintRules}})),
			spec.Target{Nodes: one, Kubernetes: "v1.37.1", Gates: map[spec.Feature]bool{spec.DeviceTaintRules: true}}, "", ""},
		"gates unseen": {meta("a/a", taints), spec.Target{Nodes: one, Kubernetes: "v1.37.1", GatesUnseen: "metrics are forbidden"},
			spec.SkipFeatureUnseen, "metrics are forbidden"},
		"older than that": {meta("a/a", needs(spec.Needs{Since: "1.37"})), spec.Target{Nodes: one, Kubernetes: "v1.36.4"},
			spec.SkipVersion, "needs Kubernetes 1.37 or newer, the cluster has v1.36.4"},
		"an older kubelet":                      {meta("a/a", needs(spec.Needs{Since: "1.37"})), older, spec.SkipVersion, "needs Kubernetes 1.37 or newer, the kubelet on a has v1.36.4"},
		"an older kubelet where none is needed": {meta("a/a", needs(spec.Needs{Since: "1.37", NoKubelet: true})), older, "", ""},
		"an older kubelet where no pods come":   {meta("a/a", needs(spec.Needs{Since: "1.37"})), elsewhere, "", ""},
		"as old as that":                        {meta("a/a", needs(spec.Needs{Since: "1.37"})), spec.Target{Nodes: one, Kubernetes: "v1.37.0+k3s1"}, "", ""},
		"version not served": {meta("a/a", needs(spec.Needs{APIs: []string{"v1beta1"}})), spec.Target{Nodes: one, ResourceAPIs: []string{"v1", "v1beta2"}},
			spec.SkipAPI, "needs resource.k8s.io/v1beta1, the cluster serves v1, v1beta2"},
		"gate off in a kubelet": {meta("a/a", needs(spec.Needs{Features: []spec.Feature{spec.ExtendedResource}})),
			spec.Target{Gates: map[spec.Feature]bool{spec.ExtendedResource: true}, Nodes: []spec.Node{
				{Name: "old", Kubelet: "v1.34.4", Schedulable: true, KubeletGates: map[spec.Feature]bool{spec.ExtendedResource: false}}}},
			spec.SkipFeature, "disabled in the kubelet of node old (v1.34.4)"},
		"gate that a kubelet does not know": {meta("a/a", needs(spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.OptionalOperations}})),
			spec.Target{Gates: map[spec.Feature]bool{spec.OptionalOperations: true}, Nodes: []spec.Node{{Name: "old", Kubelet: "v1.36.4", Schedulable: true}}},
			spec.SkipFeature, "disabled in the kubelet of node old (v1.36.4)"},
		"gate that no kubelet need know": {meta("a/a", needs(spec.Needs{NoNode: true, Features: []spec.Feature{spec.OptionalOperations}})),
			spec.Target{Gates: map[spec.Feature]bool{spec.OptionalOperations: true}, Nodes: []spec.Node{{Name: "old", Kubelet: "v1.36.4", Schedulable: true}}}, "", ""},
		"groups of pods not served": {meta("a/a", needs(spec.Needs{PodGroups: true})), spec.Target{Nodes: one}, spec.SkipAPI, "needs pod groups (scheduling.k8s.io/v1beta1)"},
		"groups of pods":            {meta("a/a", needs(spec.Needs{PodGroups: true})), spec.Target{Nodes: one, PodGroups: true}, "", ""},
		"gate on that must be off": {meta("a/a", needs(spec.Needs{Off: []spec.Feature{spec.DeviceTaints}})),
			spec.Target{Nodes: one, Gates: map[spec.Feature]bool{spec.DeviceTaints: true}}, spec.SkipFeature, "DRADeviceTaints to be off, enabled"},
		"gate off that must be off": {meta("a/a", needs(spec.Needs{Off: []spec.Feature{spec.DeviceTaints}})),
			spec.Target{Nodes: one, Gates: map[spec.Feature]bool{spec.DeviceTaints: false}}, "", ""},
		"gate unseen that must be off": {meta("a/a", needs(spec.Needs{Off: []spec.Feature{spec.DeviceTaints}})),
			spec.Target{Nodes: one, GatesUnseen: "metrics are forbidden"}, spec.SkipFeature, "cannot be seen whether the cluster serves it: metrics are forbidden"},
		"scheduler's gate on, not the API server's": {meta("a/a", needs(spec.Needs{Features: []spec.Feature{spec.FilterTimeout}})), spec.Target{Nodes: one,
			Gates: map[spec.Feature]bool{spec.FilterTimeout: false}, SchedulerGates: map[spec.Feature]bool{spec.FilterTimeout: true}}, "", ""},
		"scheduler's gate off, not the API server's": {meta("a/a", needs(spec.Needs{Features: []spec.Feature{spec.FilterTimeout}})), spec.Target{Nodes: one,
			Gates: map[spec.Feature]bool{spec.FilterTimeout: true}, SchedulerGates: map[spec.Feature]bool{spec.FilterTimeout: false}}, spec.SkipFeature, "disabled in the cluster"},
		"scheduler's gate unseen": {meta("a/a", needs(spec.Needs{Features: []spec.Feature{spec.FilterTimeout}})), spec.Target{Nodes: one,
			Gates: map[spec.Feature]bool{spec.FilterTimeout: true}, SchedulerGatesUnseen: "no pod of it"}, spec.SkipFeatureUnseen, "no pod of it"},
		"scheduler's gate unseen that must be off": {meta("a/a", needs(spec.Needs{Off: []spec.Feature{spec.FilterTimeout}})), spec.Target{Nodes: one,
			Gates: map[spec.Feature]bool{spec.FilterTimeout: false}, SchedulerGatesUnseen: "no pod of it"}, spec.SkipFeature, "no pod of it"},
		"too few nodes":                    {meta("a/a", twoNodes), spec.Target{Nodes: one}, spec.SkipNodes, "needs 2 schedulable Linux node(s), the cluster has 1"},
		"a profile of defaults":            {meta("a/a", needs(spec.Needs{DefaultsProfile: true})), spec.Target{Nodes: one, DefaultsProfile: "defaults"}, "", ""},
		"no profile of defaults":           {meta("a/a", needs(spec.Needs{DefaultsProfile: true})), spec.Target{Nodes: one}, spec.SkipDefaultsProfile, "DRATEST_DEFAULTS_PROFILE"},
		"short timeout":                    {meta("a/a", soon), spec.Target{Nodes: one, BindingTimeout: 20 * time.Second}, "", ""},
		"long timeout":                     {meta("a/a", soon), spec.Target{Nodes: one, BindingTimeout: time.Minute}, spec.SkipBindingTimeout, "at most 30s, which is 1m0s"},
		"metrics unseen":                   {meta("a/a", func(m *spec.Meta) { m.Needs.Metrics = []string{"kube-scheduler"} }), spec.Target{Nodes: one}, spec.SkipMetrics, "kube-scheduler, and no pod of it is visible"},
		"timeout unseen":                   {meta("a/a", soon), spec.Target{Nodes: one}, spec.SkipBindingTimeout, "which cannot be seen"},
		"disruption":                       {meta("a/a", needs(spec.Needs{Disruption: true})), spec.Target{Nodes: one}, spec.SkipDisruption, "--disruptive"},
		"disruption where that is allowed": {meta("a/a", needs(spec.Needs{Disruption: true})), spec.Target{Nodes: one, Disruptable: true}, "", ""},
		"shared":                           {meta("a/a", alone), spec.Target{Nodes: one}, spec.SkipShared, "allow it with --disruptive if nobody else uses the cluster"},
		"not shared":                       {meta("a/a", alone), spec.Target{Nodes: one, Disruptable: true}, "", ""},
		"restart":                          {meta("a/a", restarts(spec.Worker)), spec.Target{Nodes: one, Disruptable: true}, spec.SkipDisruption, "--restart-nodes"},
		"restart where that is allowed":    {meta("a/a", restarts(spec.Worker)), spec.Target{Nodes: one, Restartable: true}, "", ""},
		"no control plane is seen":         {meta("a/a", restarts(spec.ControlPlane)), spec.Target{Nodes: one, Restartable: true}, spec.SkipNodes, "the cluster shows none"},
		"control plane": {meta("a/a", restarts(spec.ControlPlane)), spec.Target{Restartable: true,
			Nodes: []spec.Node{node("worker"), {Name: "other", OS: "linux", ControlPlane: true}}}, "", ""},
		"needs no node": {meta("a/a", needs(spec.Needs{NoNode: true})), spec.Target{}, "", ""},
		"simulated nodes": {meta("a/a"), spec.Target{Nodes: []spec.Node{{Name: "a", OS: "linux", Schedulable: true, Simulated: true}}},
			spec.SkipNodes, "the cluster has 0 beside 1 simulated one(s) without containers"},
		"needs no kubelet": {meta("a/a", needs(spec.Needs{NoKubelet: true})), spec.Target{Nodes: []spec.Node{{Name: "a", OS: "linux", Schedulable: true, Simulated: true}}}, "", ""},
		"needs no kubelet, but two nodes": {meta("a/a", needs(spec.Needs{NoKubelet: true, Nodes: 2})),
			spec.Target{Nodes: []spec.Node{{Name: "a", OS: "linux", Schedulable: true, Simulated: true}, {Name: "b", OS: "linux", Simulated: true}}},
			spec.SkipNodes, "needs 2 schedulable Linux node(s), the cluster has 1"},
		"no nodes": {meta("a/a"), spec.Target{}, spec.SkipNodes, "the cluster has 0"},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := plan.Build([]spec.Meta{tc.meta}, tc.target, plan.Filter{})
			if err != nil {
				t.Fatal(err)
			}
			got := p.Entries[0].Skip
			if got == nil {
				got = &spec.Skip{}
			}
			if got.Code != tc.want || !strings.Contains(got.Text, tc.text) {
				t.Errorf("got %+v, want %q with %q", *got, tc.want, tc.text)
			}
			if runs := p.Runs() == 1; runs != (tc.want == "") {
				t.Errorf("Runs() = %d", p.Runs())
			}
		})
	}
}

func TestBuildReportsAllProblemsOfTheCases(t *testing.T) {
	_, err := plan.Build([]spec.Meta{meta("a/a"), meta("a/a"), meta("a/a"), {ID: "Bad"}}, spec.Target{}, plan.Filter{Labels: "("})
	for _, want := range []string{`case "a/a": the id is used more than once`, `case "Bad"`, `label filter`} {
		if err == nil || strings.Count(err.Error(), want) != 1 {
			t.Errorf("%v does not say %q once", err, want)
		}
	}
}

func TestPlanForADriverThatIsThere(t *testing.T) {
	target := spec.Target{ResourceAPIs: []string{"v1"}, Nodes: []spec.Node{node("a"), node("b")}, DriverUnderTest: &spec.DriverUnderTest{
		Driver: "gpu.example.com", DriverClass: spec.DriverClass{Class: "gpu", Devices: 1, Nodes: []string{"a"}}, Features: map[spec.DriverFeature]bool{spec.DriverHealth: true},
	}}
	for name, tc := range map[string]struct {
		needs spec.Needs
		code  spec.SkipCode
	}{
		"scripts the driver":              {spec.Needs{}, spec.SkipDriver},
		"any driver will do":              {spec.Needs{Devices: 1}, ""},
		"too few devices":                 {spec.Needs{Devices: 2}, spec.SkipDevices},
		"too few nodes":                   {spec.Needs{Devices: 1, Nodes: 2}, spec.SkipNodes},
		"a feature that it has":           {spec.Needs{Devices: 1, DriverFeatures: []spec.DriverFeature{spec.DriverHealth}}, ""},
		"one that it has not":             {spec.Needs{Devices: 1, DriverFeatures: []spec.DriverFeature{spec.DriverTaints}}, spec.SkipDriverFeature},
		"a feature that it must not have": {spec.Needs{Devices: 1, NoDriverFeatures: []spec.DriverFeature{spec.DriverHealth}}, spec.SkipDriverFeature},
		"without one that it has not":     {spec.Needs{Devices: 1, NoDriverFeatures: []spec.DriverFeature{spec.DriverTaints}}, ""},
		"restarts without consent":        {spec.Needs{Devices: 1, Disruption: true}, spec.SkipDisruption},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := plan.Build([]spec.Meta{meta("core/one", needs(tc.needs))}, target, plan.Filter{})
			if err != nil {
				t.Fatal(err)
			}
			got := spec.SkipCode("")
			if s := p.Entries[0].Skip; s != nil {
				got = s.Code
			}
			if got != tc.code {
				t.Errorf("skip %q, want %q", got, tc.code)
			}
		})
	}
}

func TestPlanForCasesThatEndTheDriver(t *testing.T) {
	known := spec.DriverUnderTest{Driver: "gpu.example.com", DriverClass: spec.DriverClass{Class: "gpu", Devices: 1, Nodes: []string{"a"}}, Namespace: "gpu", Selector: "app=gpu"}
	unknown := known
	unknown.Namespace = ""
	hooked := known
	hooked.Hooks = map[spec.HookName]spec.Hook{spec.HookHeal: {}}
	somebodys := hooked
	somebodys.Hooks = map[spec.HookName]spec.Hook{spec.HookUninstall: {}}
	own := somebodys
	own.Removable = true
	for name, tc := range map[string]struct {
		driver *spec.DriverUnderTest
		hooks  []spec.HookName
		code   spec.SkipCode
	}{
		"its pods are known":       {&known, nil, ""},
		"its pods are not known":   {&unknown, nil, spec.SkipDriver},
		"the test driver":          {nil, nil, spec.SkipDriver},
		"a hook that there is":     {&hooked, []spec.HookName{spec.HookHeal}, ""},
		"a hook that there is not": {&hooked, []spec.HookName{spec.HookHeal, spec.HookUpgrade}, spec.SkipHook},
		"a driver of somebody":     {&somebodys, []spec.HookName{spec.HookUninstall}, spec.SkipHook},
		"a driver of the run":      {&own, []spec.HookName{spec.HookUninstall}, ""},
	} {
		target := spec.Target{ResourceAPIs: []string{"v1"}, Nodes: []spec.Node{node("a")}, DriverUnderTest: tc.driver, Disruptable: true}
		m := meta("life/one", needs(spec.Needs{Devices: 1, DriverPods: true, Disruption: true, Hooks: tc.hooks}))
		m.SerialBecause = "It ends the driver."
		p, err := plan.Build([]spec.Meta{m}, target, plan.Filter{})
		if err != nil {
			t.Fatal(err)
		}
		got := spec.SkipCode("")
		if s := p.Entries[0].Skip; s != nil {
			got = s.Code
		}
		if got != tc.code {
			t.Errorf("%s: skip %q, want %q", name, got, tc.code)
		}
	}
}

func TestProfiles(t *testing.T) {
	metas := []spec.Meta{
		{ID: "core/a"}, {ID: "core/slow", WaitsFor: "x"}, {ID: "core/serial", SerialBecause: "x"}, {ID: "node/a"},
		{ID: "node/restarts", Needs: spec.Needs{Disruption: true}},
	}
	for profile, want := range map[spec.Subset]string{
		"": "core/a core/slow core/serial node/a node/restarts", spec.SubsetAll: "core/a core/slow core/serial node/a node/restarts",
		spec.SubsetCore: "core/a", spec.SubsetConformance: "core/a core/slow core/serial node/a",
	} {
		kept, err := plan.Select(metas, plan.Filter{Profile: profile})
		var ids []string
		for _, m := range kept {
			ids = append(ids, m.ID)
		}
		if got := strings.Join(ids, " "); err != nil || got != want {
			t.Errorf("profile %q: got %s (%v), want %s", profile, got, err, want)
		}
	}
	if _, err := plan.Select(metas, plan.Filter{Profile: "most"}); err == nil || !strings.Contains(err.Error(), `profile "most" is unknown`) {
		t.Errorf("unknown profile: %v", err)
	}
}
