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
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
)

// A watcher started after a node was replaced asked the agent of the old one, and failed.
func TestWatchedNodesAreThere(t *testing.T) {
	node := func(name string, schedulable bool) spec.Node {
		return spec.Node{Name: name, OS: "linux", Schedulable: schedulable}
	}
	first := spec.Target{Nodes: []spec.Node{node("control-plane", false), node("cordoned", true), node("replaced", true)}}
	now := spec.Target{Nodes: []spec.Node{node("control-plane", false), node("cordoned", false), node("new", true)}}
	if got := watchedNodes(first, now); !slices.Equal(got, []string{"cordoned", "new"}) {
		t.Error(got)
	}
}

func TestDowntimesBeforeChecks(t *testing.T) {
	o := newOutside(t)
	o.do(StageBegin)
	watch := func(times int, api float64) {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			e := o.stage(StageCheck)
			e.testbed = &testbed.Testbed{Progress: progress.New(nil)}
			l, err := readWatch(e.options.ReportDir)
			if err != nil {
				t.Fatal(err)
			}
			err = e.watch(ctx, l, func() Downtimes {
				if times--; times == 0 {
					cancel()
				}
				return Downtimes{API: api}
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	unlock, err := lockWatch(o.options.ReportDir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lockWatch(o.options.ReportDir); err == nil || !strings.Contains(err.Error(), "stop it first") {
		t.Errorf("a second watcher: %v", err)
	}
	unlock()
	watch(3, 7)
	watch(1, 4) // again
	r := o.do(StageCheck)
	if s := r.Steps[0]; s.Watched != 8 || s.Downtimes.API != 7 {
		t.Errorf("watched %gs: %+v", s.Watched, s.Downtimes)
	}
	if r = o.do(StageCheck); r.Steps[1].Watched != 0 {
		t.Errorf("nobody watched before check 2: %+v", r.Steps[1])
	}
	for _, want := range []string{"an answer of the API 7.0s", "Downtimes are unknown before check 2:"} {
		if got := r.summary(); !strings.Contains(got, want) {
			t.Errorf("no %q in: %s", want, got)
		}
	}
	o.do(StageEnd)
	o.do(StageBegin)
	if r = o.do(StageCheck); r.Steps[0].Watched != 0 {
		t.Errorf("downtimes of an earlier upgrade in this directory: %+v", r.Steps[0])
	}
	if got := (Downtimes{API: 22.1, Scheduling: 1}).text(reportedOutage); got != "an answer of the API 22.1s" {
		t.Errorf("printed: %s", got)
	}
}
