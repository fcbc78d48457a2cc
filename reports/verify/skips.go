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

package verify

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/version"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/schema"
)

// levels compares requirements, known issues and skip reasons with the case list.
func (v *verification) levels(r schema.Report) {
	for _, e := range r.Selection.Expectations {
		if engine := v.engine(); engine != schema.EngineRun && engine != schema.EngineUpgrade {
			v.refuse("%s: it expects case %s to fail, and \"dratest %s\" expects none to", reports.JSONFile, e.Case, engine)
			continue
		}
		// The file was read before the run, by a matrix long before.
		if e.Expired(r.Started.AddDate(0, 0, -1)) || !slices.ContainsFunc(v.list, func(k schema.RequiredCase) bool { return k.ID == e.Case }) {
			v.refuse("%s: it expects case %s to fail until %s, which no run of that day takes", reports.JSONFile, e.Case, e.Until)
		}
	}
	for _, c := range r.Cases {
		i := slices.IndexFunc(v.list, func(k schema.RequiredCase) bool { return k.ID == c.ID })
		if i < 0 {
			v.refuse("%s: case %s is none of this suite", reports.JSONFile, c.ID)
			continue
		}
		k := v.list[i]
		v.skipped(c, k, planOf(r).Target)
		meta := spec.Meta{ID: c.ID, KnownIssue: c.KnownIssue}
		for _, requirement := range c.Requirements {
			meta.Requires = append(meta.Requires, requirement.ID)
		}
		has := schema.Required([]spec.Meta{meta}, c.Requirements)[0]
		is := k
		is.Level, is.Requirements = has.Level, has.Requirements
		if c.KnownIssue != nil {
			is.KnownIssue = has.KnownIssue
		}
		v.compare(fmt.Sprintf("%s: case %s", reports.JSONFile, c.ID), "this dratest requires", is, k)
	}
}

// skipped rejects skip reasons contradicting the case's needs or the cluster.
func (v *verification) skipped(c schema.Case, k schema.RequiredCase, target spec.Target) {
	because := ""
	switch c.SkipCode {
	case spec.SkipFeature:
		if because = "needs no feature"; len(k.Features)+len(k.Off) > 0 {
			because = ""
		}
		if because == "" && served(k, target) {
			because = "the cluster has its features as it needs them"
		}
	case spec.SkipAPI:
		if len(k.APIs) == 0 {
			because = "needs no other version of an API"
		}
	case spec.SkipDriver:
		if !k.DriverUnderTest {
			because = "needs no driver of a vendor"
		}
	case spec.SkipCheck:
		if k.DriverProfile != spec.ProfileContract {
			because = "is no check of a driver's contract"
		}
	case spec.SkipDriverFeature, spec.SkipHook:
		because = v.notLacking(c.SkipCode, k)
	case spec.SkipVersion:
		if !older(target, k.Releases()) {
			because = "the cluster has " + target.Kubernetes
		}
	}
	if because != "" {
		v.refuse("%s: case %s is left out with %s, and %s", reports.JSONFile, c.ID, c.SkipCode, because)
	}
}

// notLacking returns why the driver under test is no reason to skip a case.
func (v *verification) notLacking(code spec.SkipCode, k schema.RequiredCase) string {
	switch {
	case v.rules.Subject == nil && v.engine() != schema.EngineUpgrade:
		return "no driver of a vendor was tested"
	case v.rules.Subject == nil, !slices.ContainsFunc(v.list, func(k schema.RequiredCase) bool { return len(k.Hooks) > 0 }):
		return "" // declaration or hooks of the cases are unknown
	case v.conformance.Certificate == nil:
		return "" // certificate reports it
	}
	s, err := v.rules.Subject(v.dir, *v.conformance.Certificate)
	if err != nil {
		return "" // Derive reports it
	}
	skip := k.OfDriver().Missing(spec.Target{DriverUnderTest: &s})
	if skip == nil || skip.Code != code {
		return "the driver has the features and hooks that it needs"
	}
	return ""
}

// served reports whether a target has all features of a case as needed. Reports do not contain the
// scheduler's gates.
func served(k schema.RequiredCase, target spec.Target) bool {
	for _, f := range k.Features {
		if f.OfScheduler() || f.Missing(target) != nil {
			return false
		}
	}
	for _, f := range k.Off {
		if f.OfScheduler() || target.Gates[f] || target.GatesUnseen != "" {
			return false
		}
	}
	return true
}

// older reports whether the target or one of its kubelets is older than one of the releases.
func older(target spec.Target, releases []string) bool {
	versions := []string{target.Kubernetes}
	for _, n := range target.Nodes {
		versions = append(versions, n.Kubelet)
	}
	for _, c := range target.ComponentsOf(spec.Kubelet) {
		versions = append(versions, c.Version)
	}
	for _, release := range releases {
		need, err := version.ParseGeneric(release)
		if err != nil {
			continue
		}
		if slices.ContainsFunc(versions, func(v string) bool {
			have, err := version.ParseGeneric(v)
			return err == nil && have.LessThan(need)
		}) {
			return true
		}
	}
	return false
}
