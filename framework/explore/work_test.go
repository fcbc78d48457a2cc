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

package explore

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/framework/problem"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
)

// An exploration interrupted while it looked for known issues of an outcome had a finding.
func TestInterruptedWhileExcusing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	e, s, of := withoutClaim(t)
	e.bed.Target = stock()
	e.bed.Client.(*fake.Clientset).PrependReactor("create", "resourceslices", func(a clienttesting.Action) (bool, runtime.Object, error) {
		if strings.Contains(a.(clienttesting.CreateAction).GetObject().(*resourceapi.ResourceSlice).Name, "k") {
			cancel()
		}
		return false, nil, nil
	})
	e.try(ctx, s, 7, &problem.Problem{}, of)
	if ctx.Err() == nil || len(e.summary.Findings) > 0 || !e.running[7] {
		t.Errorf("%v, %+v, running %v", ctx.Err(), e.summary, e.running)
	}
}

// The finding is in the summary before it ends the exploration.
func TestFirstFindingEnds(t *testing.T) {
	e, s, of := withoutClaim(t)
	e.options.First = true
	findings := -1
	e.found = func() { findings = len(e.summary.Findings) }
	e.try(t.Context(), s, 7, &problem.Problem{}, of)
	if findings != 1 || len(e.running) > 0 {
		t.Errorf("%d findings when the exploration ended: %+v", findings, e.summary)
	}
}

// A problem whose repetition failed was forgotten by a resumption: the exploration passed without its outcome.
func TestFailedRepetitionIsLeft(t *testing.T) {
	e, s, of := withoutClaim(t)
	e.bed.Client.(*fake.Clientset).PrependReactor("create", "resourceslices", func(a clienttesting.Action) (bool, runtime.Object, error) {
		if strings.HasPrefix(a.(clienttesting.CreateAction).GetObject().(*resourceapi.ResourceSlice).Name, "x7xa") {
			return true, nil, errors.New("no API server")
		}
		return false, nil, nil
	})
	e.try(t.Context(), s, 7, &problem.Problem{}, of)
	if s := e.summary; !slices.Equal(s.Left, []uint64{7}) || len(s.Troubles) != 1 || s.Problems > 0 || len(e.running) > 0 {
		t.Errorf("%+v", s)
	}
}

// withoutClaim returns an exploration of a scheduler that binds a pod without its claim.
func withoutClaim(t *testing.T) (*exploring, *slot, subject) {
	t.Helper()
	client := fake.NewClientset()
	s := &slot{namespace: namespaceObject("ns"), pods: newPodWatch()}
	s.pods.pods = map[string]*corev1.Pod{}
	client.PrependReactor("create", "pods", func(a clienttesting.Action) (bool, runtime.Object, error) {
		pod := a.(clienttesting.CreateAction).GetObject().(*corev1.Pod)
		pod.UID, pod.Spec.NodeName = types.UID(pod.Name), "node"
		s.pods.pods[pod.Name] = pod
		return false, nil, nil
	})
	e := &exploring{
		options: Options{Config: testbed.Config{ReportDir: t.TempDir()}}, coverage: &problem.Coverage{},
		running: map[uint64]bool{7: true}, shrunk: map[string]int{}, summary: Summary{Excused: map[string]int{}},
		bed: &testbed.Testbed{Client: client, Progress: progress.New(nil)},
	}
	return e, s, func(id, namespace string) (*problem.Problem, error) {
		claim := resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: id + "-claim", Labels: map[string]string{label: id}}}
		claim.Spec.Devices.Requests = []resourceapi.DeviceRequest{{Name: "r", Exactly: &resourceapi.ExactDeviceRequest{DeviceClassName: "none"}}}
		slice := resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: id + "-slice"}}
		slice.Spec.Devices = []resourceapi.Device{{Name: "d", Attributes: map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{"v": {VersionValue: ptr.To("1.0.0+build")}}}}
		return &problem.Problem{
			Slices: []resourceapi.ResourceSlice{slice}, Claims: []resourceapi.ResourceClaim{claim},
			Pods: []problem.Pod{{Name: id + "-pod", Claims: []string{claim.Name}}},
		}, nil
	}
}

// stock returns a target with Kubernetes' own scheduler.
func stock() spec.Target {
	return spec.Target{Running: []spec.Component{{Name: spec.Scheduler, Program: "kube-scheduler", Version: "v1.37.1", Whose: spec.Stock}}}
}
