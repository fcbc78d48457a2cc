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

package spec_test

import (
	"strings"
	"testing"
	"time"

	"github.com/dra-conformance/dratest/framework/spec"
)

func TestKnownIssueIsComplete(t *testing.T) {
	good := spec.KnownIssue{Issue: "kubernetes#1", Component: spec.Kubelet, Through: "1.37", Review: "2027-01-31", Does: "It does not."}
	if err := good.Validate(); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*spec.KnownIssue){
		"must have an issue":         func(k *spec.KnownIssue) { k.Issue = "" },
		"say what":                   func(k *spec.KnownIssue) { k.Does = "" },
		"one of the scheduler":       func(k *spec.KnownIssue) { k.Component = "etcd" },
		"the last release":           func(k *spec.KnownIssue) { k.Through = "v1.37.1" },
		"last release that has it":   func(k *spec.KnownIssue) { k.Through = "1.99999999999999999999" }, // a panic of its comparison
		"the first release":          func(k *spec.KnownIssue) { k.From = "1" },
		"the day of its next review": func(k *spec.KnownIssue) { k.Review = "31.1.2027" },
		`case "a/b": a known issue m`: func(k *spec.KnownIssue) {
			*k = spec.KnownIssue{Does: "x", Component: spec.Kubelet, Through: "1.37", Review: "2027-01-31"}
		},
	} {
		issue := good
		change(&issue)
		meta := spec.Meta{ID: "a/b", Checks: "It holds.", Requires: []spec.RequirementID{"a/b"}, KnownIssue: &issue}
		if err := meta.Validate(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("got %v, want %q", err, name)
		}
	}
}

func TestKnownIssueIsDue(t *testing.T) {
	issue := spec.KnownIssue{Review: "2027-01-31"}
	for day, due := range map[string]bool{"2027-01-30": false, "2027-01-31": true, "2028-01-01": true} {
		now, err := time.Parse(time.DateOnly, day)
		if err != nil {
			t.Fatal(err)
		}
		if issue.Due(now) != due {
			t.Errorf("on %s: due is %t", day, !due)
		}
	}
}
