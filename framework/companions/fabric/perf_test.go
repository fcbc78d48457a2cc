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

package fabric

import (
	"testing"
	"time"

	"github.com/dra-conformance/dratest/drivers/fabric"
	"github.com/dra-conformance/dratest/framework/perf"
)

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
	if got, err := highWater("Name:\tx\nVmPeak:\t 9 kB\nVmHWM:\t   5120 kB\nVmRSS:\t 7 kB\nRssAnon:\t 4 kB\nRssFile:\t 3072 kB\n"); err != nil || got != 2<<20 {
		t.Errorf("got %d, %v", got, err)
	}
	if got, err := highWater("Name:\tx\nState:\tZ (zombie)\n"); err == nil {
		t.Errorf("got %d for a process that has ended", got)
	}
}

func TestPerfNeedsDevicesForAllPods(t *testing.T) {
	for _, w := range []perf.Workload{{Nodes: 1, Devices: 1, Pods: 1}, {Nodes: 1, Devices: 3, Pods: 21}} {
		if _, err := preparePerf(t.Context(), perf.Site{Workload: w}); err == nil {
			t.Errorf("%+v: no error", w)
		}
	}
}
