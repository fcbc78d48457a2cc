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

package reports

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/version"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/schema"
)

// profiles returns the results of the core and of each feature.
func profiles(cases []schema.ConformanceCase, cluster schema.Cluster) []schema.Profile {
	var features []spec.Feature
	for _, c := range cases {
		features = append(features, c.Features...)
	}
	slices.Sort(features)
	all := []schema.Profile{profile(schema.CoreProfile, "resource.k8s.io/"+strings.Join(cluster.ResourceAPIs, ", "), true,
		slices.DeleteFunc(slices.Clone(cases), func(c schema.ConformanceCase) bool { return len(c.Features) > 0 }))}
	for _, f := range slices.Compact(features) {
		seen, sure := observed(f, cluster)
		all = append(all, profile(string(f), seen, sure,
			slices.DeleteFunc(slices.Clone(cases), func(c schema.ConformanceCase) bool { return !slices.Contains(c.Features, f) })))
	}
	return all
}

// observed returns the evidence for a feature in the cluster; sure means the absence of evidence is
// conclusive.
func observed(f spec.Feature, c schema.Cluster) (where string, sure bool) {
	on, known := c.Gates[f]
	switch {
	case on:
		return "feature gate", true
	case c.Observed[f] != "":
		return c.Observed[f], true
	case known:
		return "", true
	}
	if v, err := version.ParseGeneric(c.Kubernetes); err == nil && v.Major() == 1 && f.GateRemoved(v.Minor()) {
		return "cannot be switched off in Kubernetes " + c.Kubernetes, true
	}
	return "", c.GatesUnseen == ""
}

// profile summarizes the cases of a profile. It has passed if a case passed and all others applying to
// the cluster passed, are known issues or are warnings. Cases skipped for any other reason make it
// incomplete.
func profile(name, seen string, sure bool, cases []schema.ConformanceCase) schema.Profile {
	p := schema.Profile{Name: name, Observed: seen}
	is := map[string][]string{}
	for _, c := range cases {
		*number(&p.Counts, c.Result)++
		if short := shortOf(c.RequiredCase, c.Result, c.SkipCode, len(c.Attempts)); short != "" {
			is[short] = append(is[short], c.ID)
		}
	}
	var open []string
	for _, short := range []string{expected, unreviewed, blocked, leftOut, impossible, retried} {
		if len(is[short]) > 0 {
			open = append(open, some(short, is[short]))
		}
	}
	ran := p.Counts.Passed + p.Counts.KnownIssues + p.Counts.Warnings
	switch {
	case len(is[failed]) > 0:
		p.Result, p.Reasons = schema.ResultFailed, append([]string{some(failed, is[failed])}, open...)
	case seen == "" && sure && ran == 0:
		p.Result = schema.ResultNotApplicable
		p.Reasons = []string{"the cluster does not have the feature"}
	case len(open) > 0:
		p.Result, p.Reasons = schema.ResultIncomplete, open
	case ran == 0:
		p.Result = schema.ResultNotApplicable
		p.Reasons = []string{"no case of it can run without other features"}
	case p.Counts.Passed == 0:
		p.Result = schema.ResultIncomplete
		p.Reasons = []string{"no case passed"}
	default:
		p.Result = schema.ResultPassed
	}
	return p
}

func number(c *schema.Counts, r schema.CaseResult) *int {
	switch r {
	case schema.CasePassed:
		return &c.Passed
	case schema.CaseFailed:
		return &c.Failed
	case schema.CaseWarning:
		return &c.Warnings
	case schema.CaseExpectedFailure:
		return &c.ExpectedFailures
	case schema.CaseKnownIssue:
		return &c.KnownIssues
	case schema.CaseUnreviewed:
		return &c.Unreviewed
	case schema.CaseNotApplicable:
		return &c.NotApplicable
	case schema.CaseNotSelected:
		return &c.NotSelected
	default:
		return &c.Blocked
	}
}
