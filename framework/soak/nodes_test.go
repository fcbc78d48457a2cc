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

package soak

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/spec"
)

// node forgets a claim after a while.
type node struct {
	agentapi.AgentClient

	calls   []spec.Call
	forgets time.Time
	// slow is the delay of answers after the first few.
	slow      time.Duration
	slowAfter int
}

func (n *node) GetDriverStatus(ctx context.Context, _ *agentapi.DriverRequest, _ ...grpc.CallOption) (*agentapi.JSON, error) {
	status := &agentapi.JSON{Json: agentapi.Encode(spec.DriverStatus{Calls: n.calls})}
	if n.slowAfter--; n.slowAfter >= 0 {
		return status, nil
	}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(n.slow):
	}
	return status, nil
}

func (n *node) GetEvidence(context.Context, *agentapi.EvidenceRequest, ...grpc.CallOption) (*agentapi.Evidence, error) {
	data := `{"kind":"DRACheckpoint","ClaimInfoStateList":[{"ClaimUID":"other","Namespace":"elsewhere"}`
	if time.Now().Before(n.forgets) {
		data += `,{"ClaimUID":"c-1","ClaimName":"c","Namespace":"ns"}`
	}
	file, err := json.Marshal(map[string]any{"Data": data + "]}", "Checksum": 0})
	return &agentapi.Evidence{Files: map[string][]byte{agentapi.Checkpoint: file}}, err
}

// onNode is a world with a pod that has run with claim c on a node.
func onNode(t *testing.T, n *node) *world {
	w := newWorld(t, Options{Pods: 1})
	w.bed.Target.Nodes = []spec.Node{{Name: "n", Schedulable: true, OS: "linux"}}
	w.bed.agents = n
	claim := claimWith("c", "1", "x")
	claim.UID = "c-1"
	w.uses.seeClaims(map[types.UID]*resourceapi.ResourceClaim{claim.UID: claim})
	pod := podAt("p", "1")
	pod.Spec.NodeName, pod.Spec.ResourceClaims = "n", []corev1.PodResourceClaim{{Name: "c", ResourceClaimName: ptr.To("c")}}
	w.uses.seePods(map[types.UID]*corev1.Pod{"p": pod}, time.Time{}) // it is pending
	pod = pod.DeepCopy()
	pod.Status.Phase = corev1.PodRunning
	w.uses.seePods(map[types.UID]*corev1.Pod{"p": pod}, time.Time{})
	return w
}

func TestNodesForgetClaims(t *testing.T) {
	prepared := []spec.Call{
		{Method: spec.Prepare, Claims: []spec.ClaimCall{{UID: "c-1", CDIDevices: []string{"d/class=x"}}}},
		{Method: spec.Unprepare, Claims: []spec.ClaimCall{{UID: "c-1"}}},
	}
	for name, tc := range map[string]struct {
		calls   []spec.Call
		forgets time.Duration
		want    string
	}{
		"in time":     {prepared, 10 * time.Second, ""},
		"never":       {prepared, time.Hour, "checkpoint-left"},
		"never asked": {nil, 0, "not-prepared"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := onNode(t, &node{calls: tc.calls, forgets: time.Now().Add(tc.forgets)})
				if err := w.judgeNodes(t.Context()); err != nil {
					t.Fatal(err)
				}
				var rules []string
				for _, f := range w.findings.list {
					rules = append(rules, string(f.Rule))
				}
				if got := strings.Join(rules, " "); got != tc.want {
					t.Errorf("got %q, want %q", got, tc.want)
				}
			})
		})
	}
}

// Time was up during a query of a driver: the soak had no verdict, although all polls before had found the violation.
func TestLookThatIsCutShortSaysNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := onNode(t, &node{slow: 7 * time.Second})
		if err := w.judgeNodes(t.Context()); err != nil || len(w.findings.list) != 1 {
			t.Errorf("got %v, %v", w.findings.list, err)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		w := onNode(t, &node{slow: time.Hour})
		if err := w.judgeNodes(t.Context()); err == nil {
			t.Error("no look came to an end, and that is no error")
		}
	})
	synctest.Test(t, func(t *testing.T) {
		w := onNode(t, &node{slowAfter: 1, slow: time.Hour})
		if err := w.judgeNodes(t.Context()); err == nil {
			t.Error("only the first look came to an end, and that is no error")
		}
	})
}

// The controller created another claim for an ended pod, which never ran with it.
func TestUsesAreThoseOfRunningPods(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := onNode(t, &node{})
		later := w.uses.pods["p"].DeepCopy()
		later.Status.Phase = corev1.PodSucceeded
		later.Spec.ResourceClaims[0].ResourceClaimName = ptr.To("again")
		again := claimWith("again", "2", "x")
		w.uses.seeClaims(map[types.UID]*resourceapi.ResourceClaim{"again-1": again})
		w.uses.seePods(map[types.UID]*corev1.Pod{"p": later}, time.Time{})
		if used := w.uses.list(); len(used) != 1 || used[0].Claim != "c-1" {
			t.Errorf("got %+v", used)
		}
	})
}
