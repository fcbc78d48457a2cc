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
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"google.golang.org/grpc"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	kubetesting "k8s.io/client-go/testing"
	ctrlclient "sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/harness/await"
	"github.com/dra-conformance/dratest/framework/harness/describe"
)

// world is a cluster for one case: two workers, an API server and agents with
// failures. It logs its calls.
type world struct {
	agentapi.AgentClient

	client *fake.Clientset

	mu  sync.Mutex
	log []string

	refuse   map[string]int // "create namespaces": how often it fails first
	podsStay bool
	start    map[string]error // by node
	stop     error
	// prepared is how often the driver has a claim still prepared.
	prepared int
}

var errAway = errors.New("the API server is away")

func newWorld() *world {
	w := &world{client: fake.NewClientset(), refuse: map[string]int{}, start: map[string]error{}}
	w.client.PrependReactor("*", "*", func(a kubetesting.Action) (bool, runtime.Object, error) {
		call := a.GetVerb() + " " + a.GetResource().Resource
		w.mu.Lock()
		refused := w.refuse[call] > 0
		if refused {
			w.refuse[call]--
		}
		w.mu.Unlock()
		if refused {
			return true, nil, errAway
		}
		switch call {
		case "create namespaces":
			w.note(call)
			n := a.(kubetesting.CreateAction).GetObject().(*corev1.Namespace)
			n.Name = n.GenerateName + "abcde"
		case "create serviceaccounts", "delete namespaces":
			w.note(call)
		case "delete-collection pods":
			w.note(call)
			if !w.podsStay {
				_ = w.client.Tracker().Delete(a.GetResource(), a.GetNamespace(), "pod") // there may be none
			}
			return true, nil, nil
		case "delete-collection resourceclaims":
			w.note(call)
			return true, nil, nil
		}
		return false, nil, nil
	})
	return w
}

func (w *world) note(line string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.log = append(w.log, line)
}

func (w *world) connect(*rest.Config) (kubernetes.Interface, Objects, error) { return w.client, w, nil }

func resourceOf(o Object) schema.GroupVersionResource {
	kinds, _, err := scheme.Scheme.ObjectKinds(o)
	if err != nil {
		panic(err)
	}
	plural, _ := meta.UnsafeGuessKindToResource(kinds[0])
	return plural
}

// Create makes pods run at once.
func (w *world) Create(_ context.Context, o Object, _ ...ctrlclient.CreateOption) error {
	if p, ok := o.(*corev1.Pod); ok {
		p.Status.Phase = corev1.PodRunning
	}
	return w.client.Tracker().Create(resourceOf(o), o.DeepCopyObject(), o.GetNamespace())
}

func (w *world) Get(_ context.Context, name, namespace string, o Object) error {
	_, err := w.client.Tracker().Get(resourceOf(o), namespace, name)
	return err
}

func (w *world) Delete(_ context.Context, o Object, _ ...DeleteOption) error {
	w.note("delete " + describe.Object(o))
	return w.client.Tracker().Delete(resourceOf(o), o.GetNamespace(), o.GetName())
}

// driver is a driver of a case that logs its life.
func (w *world) driver(t *T, running bool) Driver {
	onAll := func(what string) {
		for _, node := range t.Nodes {
			w.note(what + " driver on " + node)
		}
	}
	t.OnRestore(func(context.Context) error { onAll("heal"); return nil })
	t.OnRemoved(func(ctx context.Context) error {
		return await.Until(ctx, func(context.Context) (bool, error) { return w.unprepared(), nil })
	})
	t.OnCleanup(func(_ context.Context, kept bool) error {
		if kept {
			return nil
		}
		onAll("stop")
		return w.stop
	})
	if running {
		t.Track(&resourceapi.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: t.DriverName()}})
		return caseDriver{}
	}
	for _, node := range t.Nodes {
		t.NoError(w.start[node], "start driver on %s", node)
		w.note("start driver on " + node)
	}
	return caseDriver{}
}

// caseDriver is a driver whose devices no container shows.
type caseDriver struct{ Driver }

func (caseDriver) Script() string { return "" }

// unprepared is whether the driver has nothing prepared any more.
func (w *world) unprepared() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.prepared > 0 {
		if w.prepared--; w.prepared == 0 {
			w.log = append(w.log, "unprepare")
		}
	}
	return w.prepared == 0
}

func (*world) GetEvidence(context.Context, *agentapi.EvidenceRequest, ...grpc.CallOption) (*agentapi.Evidence, error) {
	return &agentapi.Evidence{Files: map[string][]byte{"kubelet.log": []byte("a line")}}, nil
}

func (*world) GetKubeletLines(_ context.Context, r *agentapi.LinesRequest, _ ...grpc.CallOption) (*agentapi.Lines, error) {
	return &agentapi.Lines{Log: fmt.Appendf(nil, "%s %s kubelet[1]: I0101 00:00:00.000000       1 a.go:1] about %s\n", time.Now().Format("2006-01-02T15:04:05.000000-0700"), r.Node, r.Text)}, nil
}

func (w *world) ExecInPod(context.Context, string, string, string, []string, *bytes.Buffer, *bytes.Buffer) error {
	return nil
}
