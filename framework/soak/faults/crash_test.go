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

package faults_test

import (
	"context"
	"encoding/json"
	"maps"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/emptypb"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/soak"
	"github.com/dra-conformance/dratest/framework/soak/crash"
	"github.com/dra-conformance/dratest/framework/soak/faults"
	"github.com/dra-conformance/dratest/framework/spec"
)

// drivers are instances with scripted calls, holding one on request.
type drivers struct {
	agentapi.AgentClient

	mutex   sync.Mutex
	calls   []spec.Call
	changes []spec.DriverChange
	// held determines what happens to a held call.
	held func(*spec.Call)
}

func (d *drivers) GetDriverStatus(context.Context, *agentapi.DriverRequest, ...grpc.CallOption) (*agentapi.JSON, error) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	return &agentapi.JSON{Json: agentapi.Encode(spec.DriverStatus{Calls: d.calls})}, nil
}

func (d *drivers) ChangeDriver(_ context.Context, r *agentapi.DriverSpec, _ ...grpc.CallOption) (*emptypb.Empty, error) {
	change, err := agentapi.Decode[spec.DriverChange](&agentapi.JSON{Json: r.Json}, nil)
	if err != nil {
		return nil, err
	}
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.changes = append(d.changes, change)
	if f := *change.Faults; d.held != nil && len(f) > 0 {
		d.calls = append(d.calls, spec.Call{Method: f[0].Method, Fault: f[0].Kind, Start: time.Now(), InProgress: true})
		time.AfterFunc(5*time.Second, func() { d.end() })
	}
	return &emptypb.Empty{}, nil
}

func (d *drivers) end() {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	call := &d.calls[len(d.calls)-1]
	call.InProgress, call.Took = false, time.Since(call.Start)
	d.held(call)
}

func program(context.Context) ([]byte, error) { return []byte("program"), nil }

const calling = `I1121 "Calling DRA driver" method="NodePrepareResources" claims=[{"Namespace":"ns","Name":"c","UID":"c-1"}]`

func deathAt(t *testing.T, when time.Time) string {
	t.Helper()
	text, err := json.Marshal(crash.Death{Line: calling, Time: when})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The kubelet dies at the log line, or a little later, as the driver shows. Then it is killed again.
func TestCrashAtALine(t *testing.T) {
	when := time.Now()
	for name, tc := range map[string]struct {
		called time.Time
		uid    types.UID
		want   crash.Point
		kills  int
	}{
		"call sent":         {when.Add(time.Millisecond), "c-1", crash.DuringPrepare, 10},
		"by the next one":   {when.Add(2 * time.Second), "c-1", crash.BeforePrepare, 1},
		"by the one before": {when.Add(-time.Second), "c-1", crash.BeforePrepare, 1},
		"another claim":     {when, "d-1", crash.BeforePrepare, 1},
	} {
		t.Run(name, func(t *testing.T) {
			d := &drivers{calls: []spec.Call{{Method: spec.Prepare, Start: tc.called, Claims: []spec.ClaimCall{{UID: "x"}, {UID: tc.uid}}}}}
			e := &engine{answers: []string{"", deathAt(t, when)}}
			c := &faults.Crash{Point: crash.BeforePrepare, Engine: e, Program: program}
			target := soak.Target{Agents: d, Driver: "d", Workers: []string{"w"}}
			if err := c.Do(t.Context(), target); (err == nil) != (tc.want == crash.BeforePrepare) {
				t.Errorf("got %v", err)
			}
			if died := c.Died(); !maps.Equal(died, map[string]int{string(tc.want): tc.kills}) {
				t.Errorf("died %v", died)
			}
			// The kubelet is watched once.
			if len(e.calls) != 1+tc.kills || !strings.HasPrefix(e.calls[0], "program exec --interactive w sh -c ") || !strings.HasSuffix(e.calls[1], " before-prepare /var/lib/kubelet/dra_manager_state") {
				t.Errorf("ran %q", e.calls)
			}
		})
	}
}

func TestKubeletDoesNotComeToThePoint(t *testing.T) {
	c := &faults.Crash{Point: crash.AfterUnprepare, Engine: &engine{answers: []string{""}}, Program: program}
	err := c.Do(t.Context(), soak.Target{Workers: []string{"w"}})
	if err == nil || !strings.Contains(err.Error(), "kill kubelet at after-unprepare on node w: it did not come to after-unprepare") || len(c.Died()) > 0 {
		t.Errorf("got %v, died %v", err, c.Died())
	}
}

// The driver holds a call: the kubelet is killed in the middle of it.
func TestCrashDuringACall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &drivers{held: func(c *spec.Call) { c.Error = "Canceled" }}
		e := &engine{answers: []string{"killed"}}
		c := &faults.Crash{Point: crash.DuringUnprepare, Engine: e, Program: program}
		if err := c.Do(t.Context(), soak.Target{Agents: d, Driver: "d", Workers: []string{"w"}}); err != nil {
			t.Fatal(err)
		}
		if died := c.Died(); died["during-unprepare"] != 1 || len(e.calls) != 1 || !strings.Contains(e.calls[0], "systemctl kill") {
			t.Errorf("died %v, ran %q", died, e.calls)
		}
		if len(d.changes) != 2 || (*d.changes[0].Faults)[0].Method != spec.Unprepare || len(*d.changes[1].Faults) != 0 {
			t.Errorf("changes %+v", d.changes)
		}
	})
}

// If a pod stops waiting, the call ends before the kill.
func TestCallIsGivenUpBeforeTheKill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &drivers{held: func(c *spec.Call) { c.Error, c.Start, c.Took = "Canceled", c.Start.Add(-time.Second), 0 }}
		c := &faults.Crash{Point: crash.DuringPrepare, Engine: &engine{answers: []string{"", "", "killed"}}, Program: program}
		err := c.Do(t.Context(), soak.Target{Agents: d, Driver: "d", Workers: []string{"w"}})
		if err == nil || !strings.Contains(err.Error(), "given up before the kill") || len(c.Died()) > 0 {
			t.Errorf("got %v, died %v", err, c.Died())
		}
	})
}

// A kubelet skipping a call leaves the same as a driver doing nothing.
func TestSpoilCalls(t *testing.T) {
	for id, method := range map[string]spec.Method{"skipped-prepare": spec.Prepare, "skipped-unprepare": spec.Unprepare} {
		d := &drivers{}
		fault, err := faults.Find(faults.Injections(), id)
		if err != nil {
			t.Fatal(err)
		}
		err = fault.Do(t.Context(), soak.Target{Agents: d, Driver: "d", Workers: []string{"w1", "w2"}})
		if err != nil || len(d.changes) != 2 || (*d.changes[1].Faults)[0].Method != method || (*d.changes[1].Faults)[0].Kind != spec.FaultNothingDone {
			t.Errorf("%s: got %v, changes %+v", id, err, d.changes)
		}
	}
}
