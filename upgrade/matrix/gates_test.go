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

package matrix

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dra-conformance/dratest/framework/prove"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/schema"
	"github.com/dra-conformance/dratest/upgrade/path"
	"github.com/dra-conformance/dratest/upgrade/run"
)

func TestCyclesOfGates(t *testing.T) {
	proof := GatesProof("1.36")
	if len(proof.Trials) != 2*len(switchable()) || proof.Trials[0].ID != "DRAExtendedResource-on-off-on" || proof.Trials[1].ID != "DRAExtendedResource-off-on-off" {
		t.Errorf("got %v", proof.Trials)
	}
}

func TestWhatAVersionDoesNotAllowIsNoFailure(t *testing.T) {
	found, err := refused(&path.RefusalError{Rule: path.GateLocked, Text: "it is locked"})
	if err != nil || !found.Detected || found.Note != "refused: it is locked (rule gate-locked)" {
		t.Errorf("got %+v, %v", found, err)
	}
	for _, err := range []error{&path.RefusalError{Rule: path.NotNewer}, errors.New("oops")} {
		if _, got := refused(err); got == nil {
			t.Errorf("%v is no error", err)
		}
	}
}

func TestWhatSwitchingAGateCameTo(t *testing.T) {
	bad := []run.Case{{ID: "upgrade/a", Status: spec.Failed}, {ID: "upgrade/b", Status: spec.Passed}}
	for _, row := range []struct {
		name   string
		record run.Record
		err    error
		want   prove.Finding
	}{
		{"passed", run.Record{Verdict: schema.Passed}, nil, prove.Finding{Detected: true}},
		{"failed", run.Record{Verdict: schema.Failed, Cases: bad}, nil, prove.Finding{Missed: []string{"upgrade/a"}}},
		{"a step failed", run.Record{Verdict: schema.Failed, Problems: []string{"a step could not be done"}}, nil, prove.Finding{Note: "a step could not be done"}},
		{"nothing ran", run.Record{Verdict: schema.NothingRan}, nil, prove.Finding{}},
		{"incomplete", run.Record{Verdict: schema.Incomplete}, nil, prove.Finding{Problem: "the upgrade is incomplete"}},
		{"no cluster", run.Record{}, errors.New("no room"), prove.Finding{Problem: "no room"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			if diff := cmp.Diff(row.want, switched(row.record, row.err)); diff != "" {
				t.Errorf("want -, got +:\n%s", diff)
			}
		})
	}
}

func TestGatesTable(t *testing.T) {
	read := func(evidence string) (run.Record, error) {
		if evidence != "DRAExtendedResource-on-off-on" {
			return run.Record{}, errors.New("there is none")
		}
		return run.Record{Verdict: schema.Failed, Steps: []run.Step{{Done: true}, {}}, Cases: []run.Case{
			{ID: "upgrade/a", Status: spec.Passed}, {ID: "upgrade/b", Status: spec.Passed}, {ID: "upgrade/c", Status: spec.NotApplicable},
			{ID: "upgrade/d", Status: "KnownSomething"}, {ID: "upgrade/e", Status: spec.Failed}, {ID: "upgrade/f"},
		}}, nil
	}
	result := func(id string, f prove.Finding) prove.Result {
		f.Evidence = id
		return prove.Result{ID: id, Finding: f}
	}
	got := string(gatesTable("1.36", prove.Record{Results: []prove.Result{
		result("DRADeviceTaints-on-off-on", prove.Finding{Detected: true, Note: "refused: it is locked (rule gate-locked)"}),
		result("DRAExtendedResource-off-on-off", prove.Finding{Problem: "no\nroom"}),
		result("DRAExtendedResource-on-off-on", prove.Finding{}),
	}}, read))
	want := `# Feature gates of Kubernetes 1.36, switched

| gate | cycle | result | steps | passed | not applicable | known issues | failed |
|---|---|---|---|---|---|---|---|
| DRAExtendedResource | on → off → on | Failed | 1/2 | 2 | 1 | d | e |
| DRAExtendedResource | off → on → off | no verdict: no room | | | | | |
| DRADeviceTaints | on → off → on | refused: it is locked (rule gate-locked) | | | | | |
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
}
