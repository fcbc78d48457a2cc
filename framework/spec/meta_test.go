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

	"github.com/dra-conformance/dratest/framework/spec"
)

func TestCaseWithoutNode(t *testing.T) {
	for name, tc := range map[string]struct {
		needs spec.Needs
		least int
		valid bool
	}{
		"nothing said":  {spec.Needs{}, 1, true},
		"two nodes":     {spec.Needs{Nodes: 2}, 2, true},
		"no node":       {spec.Needs{NoNode: true}, 0, true},
		"none and two":  {spec.Needs{NoNode: true, Nodes: 2}, 0, false},
		"none and pods": {spec.Needs{NoNode: true, Profile: spec.Profile{Pools: []spec.Pool{{}}}}, 0, false},

		"no kubelet":            {spec.Needs{NoKubelet: true}, 1, true},
		"no kubelet on two":     {spec.Needs{NoKubelet: true, Nodes: 2}, 2, true},
		"no kubelet and a pool": {spec.Needs{NoKubelet: true, Profile: spec.Profile{Pools: []spec.Pool{{}}}}, 1, false},
		"neither":               {spec.Needs{NoKubelet: true, NoNode: true}, 0, false},
	} {
		m := spec.Meta{ID: "a/a", Checks: "It works.", Requires: []spec.RequirementID{"r"}, Needs: tc.needs}
		if got := tc.needs.LeastNodes(); got != tc.least {
			t.Errorf("%s: %d nodes, want %d", name, got, tc.least)
		}
		err := m.Validate()
		if tc.valid != (err == nil) || err != nil && !strings.Contains(err.Error(), "needs.no") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCaseNeedsARelease(t *testing.T) {
	for since, valid := range map[string]bool{"": true, "1.37": true, "1.37.1": true, "v1.37": false, "37": false} {
		m := spec.Meta{ID: "a/a", Checks: "It works.", Requires: []spec.RequirementID{"r"}, Needs: spec.Needs{Since: since}}
		if err := m.Validate(); valid != (err == nil) || err != nil && !strings.Contains(err.Error(), "needs.since") {
			t.Errorf("%q: %v", since, err)
		}
	}
}
