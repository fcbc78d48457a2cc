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

package driver

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/emptypb"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/spec"
)

// agents have the proxy of one node.
type agents struct {
	agentapi.AgentClient

	mutex   sync.Mutex
	status  *spec.DriverStatus // nil without a proxy
	started int
	refuse  error
}

func (a *agents) GetProxyStatus(context.Context, *agentapi.DriverRequest, ...grpc.CallOption) (*agentapi.JSON, error) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if a.status == nil {
		return nil, errors.New("there is no proxy")
	}
	return &agentapi.JSON{Json: agentapi.Encode(a.status)}, nil
}

func (a *agents) StartProxy(context.Context, *agentapi.DriverSpec, ...grpc.CallOption) (*emptypb.Empty, error) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if a.refuse != nil {
		return nil, a.refuse
	}
	a.started++
	a.status = &spec.DriverStatus{Registered: true, Process: &spec.ProcessUse{Memory: 1, FileDescriptors: a.started}}
	return &emptypb.Empty{}, nil
}

func (a *agents) StopProxy(context.Context, *agentapi.DriverRequest, ...grpc.CallOption) (*emptypb.Empty, error) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.status = nil
	return &emptypb.Empty{}, nil
}

// change changes the proxy, or what its next start does.
func (a *agents) change(do func()) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	do()
}

func TestSampler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &agents{}
		s := NewSampler(a, "driver", "ns", []string{"n"}, time.Now())
		ctx, cancel := context.WithCancel(t.Context())
		var failed error
		go func() { failed = s.Run(ctx) }()
		next := func() { time.Sleep(interval); synctest.Wait() }
		synctest.Wait()
		next()
		pending := call(1, spec.Prepare, 0, "a")
		pending.InProgress = true
		a.change(func() {
			a.status.Calls = []spec.Call{call(0, spec.Prepare, 1, "b"), pending, {Method: spec.Prepare, Claims: []spec.ClaimCall{{Namespace: "other"}}}}
		})
		s.Renew("n")
		next()
		if a.started != 1 {
			t.Error("a pending call was cut off")
		}
		a.change(func() { a.status.Calls[1] = call(1, spec.Prepare, 2, "a") })
		next()
		next()
		if a.started != 2 {
			t.Error("the proxy was not renewed after the restart of the kubelet")
		}
		a.change(func() {
			a.status.Calls = []spec.Call{call(2, spec.Unprepare, 3, "a")}
			a.status.Problem, a.status.Process = spec.DriverEnded, nil
			a.refuse = errors.New("it has not registered")
		})
		next()
		next()
		a.change(func() { a.refuse = nil })
		next()
		next()
		cancel()
		synctest.Wait()
		calls, samples, problems := s.Seen()
		if len(calls["n"]) != 3 || len(problems) > 0 || failed != nil || a.status != nil {
			t.Errorf("got calls %v, problems %v, %v", calls, problems, failed)
		}
		var processes []int
		for _, sample := range samples {
			processes = append(processes, sample.Process)
		}
		if !slices.Equal(slices.Compact(processes), []int{1, 2}) {
			t.Errorf("samples of processes %v", processes)
		}
	})
}

func TestUnmeasured(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewSampler(&agents{refuse: errors.New("it has not registered")}, "driver", "ns", []string{"n"}, time.Now())
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_ = s.Run(ctx)
		if _, _, problems := s.Seen(); len(problems) != 1 || !strings.Contains(problems[0], "node n was not measured: it has not registered") {
			t.Errorf("got %v", problems)
		}
	})
}

// A driver that hung in prepare was seen as "no pod has come any further".
func TestStuck(t *testing.T) {
	pending := func(c spec.Call) spec.Call { c.InProgress = true; return c }
	failing := func(c spec.Call) spec.Call { c.Error = "DeadlineExceeded"; return c }
	const patience = time.Minute
	for name, tc := range map[string]struct {
		calls []spec.Call
		want  string
	}{
		"answered":            {[]spec.Call{call(0, spec.Prepare, 1, "a")}, ""},
		"answered late":       {[]spec.Call{failing(call(0, spec.Prepare, 1, "a")), call(9, spec.Prepare, 1, "a")}, ""},
		"hangs":               {[]spec.Call{failing(call(0, spec.Prepare, 1, "a")), pending(call(45, spec.Prepare, 0, "a"))}, "NodePrepareResources of claim ns/claim-a on node n has not succeeded since 12:00:00: 2 call(s), the last one unanswered since 12:00:45"},
		"fails":               {[]spec.Call{failing(call(0, spec.Unprepare, 1, "a"))}, "NodeUnprepareResources of claim ns/claim-a on node n has not succeeded since 12:00:00: 1 call(s), the last one failed: DeadlineExceeded"},
		"not yet":             {[]spec.Call{pending(call(110, spec.Prepare, 0, "a"))}, ""},
		"gone":                {[]spec.Call{pending(call(0, spec.Prepare, 0, "gone"))}, ""},
		"prepared, then hung": {[]spec.Call{call(0, spec.Prepare, 1, "a"), pending(call(9, spec.Unprepare, 0, "a"))}, "NodeUnprepareResources of claim ns/claim-a on node n has not succeeded since 12:00:09: 1 call(s), the last one unanswered since 12:00:09"},
	} {
		var got []string
		for _, s := range StuckAt(began.Add(2*time.Minute), patience, map[string][]spec.Call{"n": tc.calls}, map[types.UID]bool{"a": true}) {
			got = append(got, s.String())
			if again := s.Violation(); again.Identity() == "" {
				t.Error("no identity")
			}
		}
		if strings.Join(got, "\n") != tc.want {
			t.Errorf("%s: got %q, want %q", name, got, tc.want)
		}
	}
}
