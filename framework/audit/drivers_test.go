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

package audit_test

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/types"

	"github.com/dra-conformance/dratest/framework/audit"
	"github.com/dra-conformance/dratest/framework/spec"
)

// calls parses a driver's calls from a script: "+c" prepares claim c, "-c" unprepares it; the suffix "!" is an error
// of the call, "?" one of the claim, "0" an answer without devices, "…" a pending call.
func calls(script string) []spec.Call {
	var all []spec.Call
	for _, word := range strings.Fields(script) {
		call := spec.Call{Method: spec.Prepare}
		claim := spec.ClaimCall{UID: types.UID(word[1:2]), CDIDevices: []string{"d/class=x"}}
		if word[0] == '-' {
			call.Method, claim.CDIDevices = spec.Unprepare, nil
		}
		switch word[2:] {
		case "!":
			call.Error = "Canceled"
		case "?":
			claim.Error, claim.CDIDevices = "busy", nil
		case "0":
			claim.CDIDevices = nil
		case "…":
			call.InProgress, claim.CDIDevices = true, nil
		}
		call.Claims = []spec.ClaimCall{claim}
		all = append(all, call)
	}
	return all
}

// Pod p has run with claim c on node n, and is gone.
func TestDrivers(t *testing.T) {
	for name, tc := range map[string]struct {
		node audit.Node
		want string
	}{
		"well":                       {audit.Node{Calls: calls("+c -c")}, ""},
		"asked more than once":       {audit.Node{Calls: calls("+c! +c? +c +c -c? -c -c")}, ""},
		"unknown to the driver":      {audit.Node{Calls: calls("-d +c -c -c!")}, ""},
		"a claim that nobody used":   {audit.Node{Calls: calls("+c -c +d! -d")}, ""},
		"never asked":                {audit.Node{}, "not-prepared"},
		"skipped":                    {audit.Node{Calls: calls("+d -d")}, "not-prepared"},
		"only failures":              {audit.Node{Calls: calls("+c! +c? -c")}, "not-prepared"},
		"nothing was made":           {audit.Node{Calls: calls("+c0 -c")}, "not-prepared"},
		"leaked":                     {audit.Node{Calls: calls("+c")}, "not-unprepared"},
		"leaked after a kill":        {audit.Node{Calls: calls("+c -c +d!")}, "not-unprepared"},
		"leaked by the last attempt": {audit.Node{Calls: calls("+c -c +c…")}, "not-unprepared"},
		"driver is busy":             {audit.Node{Calls: calls("+c -c?")}, "not-unprepared"},
		"driver forgot":              {audit.Node{Calls: calls("+c -c"), Prepared: []types.UID{"c"}}, "still-prepared"},
		"kubelet did not forget":     {audit.Node{Calls: calls("+c -c"), Checkpoint: []types.UID{"c"}}, "checkpoint-left"},
		"all of it":                  {audit.Node{Calls: calls("+c0"), Prepared: []types.UID{"c"}, Checkpoint: []types.UID{"c"}}, "checkpoint-left not-prepared not-unprepared still-prepared"},
	} {
		t.Run(name, func(t *testing.T) {
			p := pod("p", "c")
			tc.node.Name = p.Spec.NodeName
			found := audit.Drivers([]audit.Node{tc.node, {Name: "m", Calls: calls("+e -e")}}, []audit.Use{{Pod: &p, Claim: "c"}})
			var rules []string
			for _, v := range found {
				rules = append(rules, string(v.Rule))
			}
			if got := strings.Join(rules, " "); got != tc.want {
				t.Errorf("got %q, want %q: %v", got, tc.want, found)
			}
		})
	}
}

// A claim prepared on another node does not count for a pod.
func TestPreparedElsewhere(t *testing.T) {
	p := pod("p", "c")
	found := audit.Drivers([]audit.Node{{Name: "m", Calls: calls("+c -c")}}, []audit.Use{{Pod: &p, Claim: "c"}})
	if len(found) != 1 || found[0].Rule != audit.NotPrepared || !strings.Contains(found[0].Text, "claim c on node n was not prepared, but pod p has run with it") {
		t.Errorf("got %v", found)
	}
}
