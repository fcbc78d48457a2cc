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

package run

import (
	"cmp"
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/framework/plan"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/upgrade/path"
)

// A known issue excuses violations only while the affected component runs.
func TestKnownIssuesAreJudgedByWhatRuns(t *testing.T) {
	at := func(minor uint, own bool) path.Software {
		return path.Software{Version: path.Version{Minor: minor, Patch: 1}, Own: own}
	}
	first := spec.Target{
		Kubernetes: "v1.35.1", Components: map[string]string{"kube-scheduler": "v1.35.1"}, Stack: map[string]string{spec.Scheduler: "stock"},
		Nodes: []spec.Node{{Name: "w", Kubelet: "v1.35.1"}},
	}
	for name, tc := range map[string]struct {
		component          string
		scheduler, kubelet path.Software
		no                 string // in why there is no excuse
	}{
		"scheduler that has it":    {spec.Scheduler, at(36, false), at(35, false), ""},
		"scheduler that is older":  {spec.Scheduler, at(35, false), at(35, false), "first seen in 1.36"},
		"scheduler that is newer":  {spec.Scheduler, at(38, false), at(35, false), "the issue was reviewed through 1.37"},
		"scheduler that is ours":   {spec.Scheduler, at(36, true), at(35, false), "is this project's"},
		"kubelet that has it":      {spec.Kubelet, at(38, true), at(37, false), ""},
		"kubelet that is ours":     {spec.Kubelet, at(36, false), at(37, true), "is this project's"},
		"kubelet that is too old":  {spec.Kubelet, at(36, false), at(34, false), "first seen in 1.36"},
		"controllers that have it": {spec.Controllers, at(35, false), at(35, false), ""},
	} {
		state := path.State{Software: map[path.Place]path.Software{
			{Component: path.APIServer, Node: "c"}:         at(38, false),
			{Component: path.ControllerManager, Node: "c"}: at(37, false),
			{Component: path.Scheduler, Node: "c"}:         tc.scheduler,
			{Component: path.Kubelet, Node: "w"}:           tc.kubelet,
		}}
		known := spec.KnownIssue{Component: tc.component, From: "1.36", Through: "1.37"}
		excuse := plan.ExcuseFor(known, running(first, state), []string{"w"})
		why := cmp.Or(excuse.Not, excuse.Unreviewed)
		if (why == "") != (tc.no == "") || !strings.Contains(why, tc.no) {
			t.Errorf("%s: %q, want %q", name, why, tc.no)
		}
	}
	if first.Nodes[0].Kubelet != "v1.35.1" || first.Components["kube-scheduler"] != "v1.35.1" {
		t.Errorf("the target was changed: %+v", first)
	}
}
