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

package harness

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/onsi/ginkgo/v2/types"
	"google.golang.org/grpc"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/spec"
)

const namespace = "dratest-abcde"

// failure is the end of a case.
type failure struct {
	message  string
	location types.CodeLocation
}

// fakeTime is the time of a case on a fake cluster, for failing waits. Everything else runs
// in succeeds.
const fakeTime = time.Second

// newFake returns a T with a cluster of these objects.
func newFake(t *testing.T, objects ...runtime.Object) *T {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(t.Context(), fakeTime, errors.New("the time is up"))
	t.Cleanup(cancel)
	f := newT(spec.Meta{ID: "area/case", Checks: "It holds."}, &Env{ReportDir: t.TempDir()})
	f.Client, f.Namespace, f.ctx = fake.NewClientset(objects...), namespace, ctx
	f.Driver = caseDriver{}
	f.abort = func(message string, skip ...int) {
		panic(failure{message, types.NewCodeLocation(skip[0] + 1)}) // as ginkgo.Fail does
	}
	return f
}

// failureOf returns how do ends the case, or nil.
func failureOf(do func()) (f *failure) {
	defer func() {
		if p := recover(); p != nil {
			got := p.(failure)
			f = &got
		}
	}()
	do()
	return nil
}

// succeeds expects do not to end the case, however slow the machine is.
func succeeds(t *testing.T, f *T, do func()) {
	t.Helper()
	hurried := f.ctx
	defer func() { f.ctx = hurried }()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	f.ctx = ctx
	if failed := failureOf(do); failed != nil {
		t.Error(failed.message)
	}
}

func pod(change func(*corev1.Pod)) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "pod", Namespace: namespace}}
	p.Status.Phase = corev1.PodPending
	change(p)
	return p
}

func claim(change func(*resourceapi.ResourceClaim)) *resourceapi.ResourceClaim {
	c := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: "claim", Namespace: namespace}}
	change(c)
	return c
}

func event(name, reason, message string, at time.Time) *corev1.Event {
	return &corev1.Event{
		ObjectMeta:     metav1.ObjectMeta{Name: name, Namespace: namespace},
		InvolvedObject: corev1.ObjectReference{Kind: "Pod", Name: "pod", Namespace: namespace},
		Type:           corev1.EventTypeWarning, Reason: reason, Message: message, LastTimestamp: metav1.NewTime(at),
	}
}

// agents are the agents of all nodes, with the answers of a test.
type agents struct {
	agentapi.AgentClient

	evidence func(node string) (map[string][]byte, error)
}

func (a *agents) GetEvidence(_ context.Context, r *agentapi.EvidenceRequest, _ ...grpc.CallOption) (*agentapi.Evidence, error) {
	files, err := a.evidence(r.Node)
	return &agentapi.Evidence{Files: files}, err
}

func (*agents) GetKubeletLines(_ context.Context, r *agentapi.LinesRequest, _ ...grpc.CallOption) (*agentapi.Lines, error) {
	return &agentapi.Lines{Log: fmt.Appendf(nil, "%s %s kubelet[1]: I0101 00:00:00.000000       1 a.go:1] about %s\n", time.Now().Format("2006-01-02T15:04:05.999999-0700"), r.Node, r.Text)}, nil
}
