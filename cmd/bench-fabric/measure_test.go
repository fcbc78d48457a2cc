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

package main

import (
	"strings"
	"testing"
	"time"

	"github.com/dra-conformance/dratest/drivers/fabric"
)

func TestProblems(t *testing.T) {
	good := result{changed: 3, after: 3, resident: 40 * mib}
	if problems := good.problems(); len(problems) > 0 {
		t.Errorf("got %q, want none", problems)
	}
	for want, change := range map[string]func(*result){
		"although nothing had changed": func(r *result) { r.idle = 1 },
		"5 times when 3 pools":         func(r *result) { r.after = 5 },
		"0 times when 3 pools":         func(r *result) { r.after = 0 },
		"has 65 MiB, more than 64":     func(r *result) { r.resident = 65 * mib },
	} {
		bad := good
		change(&bad)
		if problems := bad.problems(); len(problems) != 1 || !strings.Contains(problems[0], want) {
			t.Errorf("got %q, want one with %q", problems, want)
		}
	}
}

func TestSinceAttached(t *testing.T) {
	at := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	task := func(key string, phase fabric.TaskPhase, ends time.Time) *fabric.Work {
		return &fabric.Work{Task: fabric.Task{Key: key, Phase: phase, Ends: ends}}
	}
	state := fabric.State{Tasks: map[string]*fabric.Work{
		"1": task("uid/1", fabric.Failed, at.Add(3*time.Second)), "2": task("uid/2", fabric.Succeeded, at), "3": task("uid/3", fabric.Succeeded, at.Add(time.Second)),
	}}
	got, err := sinceAttached(state, map[string]time.Time{"uid": at.Add(1200 * time.Millisecond)})
	if err != nil || len(got) != 1 || got[0] != 200*time.Millisecond {
		t.Errorf("got %v, %v", got, err)
	}
	if got, err := sinceAttached(state, map[string]time.Time{"other": at}); err == nil {
		t.Errorf("got %v for a claim without a device", got)
	}
}

func TestHighWater(t *testing.T) {
	if got, err := highWater("Name:\tx\nVmPeak:\t 9 kB\nVmHWM:\t   2048 kB\nVmRSS:\t 7 kB\n"); err != nil || got != 2*mib {
		t.Errorf("got %d, %v", got, err)
	}
	if got, err := highWater("Name:\tx\nState:\tZ (zombie)\n"); err == nil {
		t.Errorf("got %d for a process that has ended", got)
	}
}

func TestOptions(t *testing.T) {
	good := options{stack: "own", nodes: 1, models: 2, devices: 2, pods: 2, atOnce: 1, refreshes: 1, changed: 2}
	if err := good.validate(); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*options){
		"pods than devices": func(o *options) { o.pods = 3 }, "changed": func(o *options) { o.changed = 3 }, "stack": func(o *options) { o.stack = "x" }, "nodes": func(o *options) { o.nodes = 0 },
	} {
		bad := good
		change(&bad)
		if bad.validate() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
