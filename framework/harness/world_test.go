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
	"google.golang.org/protobuf/types/known/emptypb"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	kubetesting "k8s.io/client-go/testing"
	ctrlclient "sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/framework/harness/describe"
	"github.com/dra-conformance/dratest/framework/spec"
)

// world is a cluster for one case: two workers, an API server that can refuse,
// and agents that can fail. It keeps a log of what it was asked to do.
type world struct {
	agentapi.AgentClient

	client *fake.Clientset

	mu  sync.Mutex
	log []string

	refuse   map[string]int // "create namespaces": how often it fails first
	podsStay bool
	start    map[string]error // by node
	stop     error
	// prepared is how often agents say that a claim is still prepared.
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

// Create makes pods run at once, on a node with the labels that they select.
func (w *world) Create(ctx context.Context, o Object, _ ...ctrlclient.CreateOption) error {
	if p, ok := o.(*corev1.Pod); ok {
		p.Status.Phase = corev1.PodRunning
		nodes, err := w.client.CoreV1().Nodes().List(ctx, metav1.ListOptions{LabelSelector: labels.SelectorFromSet(p.Spec.NodeSelector).String()})
		if err != nil {
			return err
		}
		for _, n := range nodes.Items {
			p.Spec.NodeName = n.Name
		}
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

func (w *world) StartDriver(_ context.Context, r *agentapi.DriverSpec, _ ...grpc.CallOption) (*emptypb.Empty, error) {
	if err := w.start[r.Node]; err != nil {
		return nil, err
	}
	w.note("start driver on " + r.Node)
	slice := &resourceapi.ResourceSlice{
		ObjectMeta: metav1.ObjectMeta{Name: r.Node + "-" + r.Driver},
		Spec:       resourceapi.ResourceSliceSpec{Driver: r.Driver, Pool: resourceapi.ResourcePool{Name: r.Node, ResourceSliceCount: 1}},
	}
	return &emptypb.Empty{}, w.client.Tracker().Create(resourceOf(slice), slice, "")
}

func (w *world) ChangeDriver(_ context.Context, r *agentapi.DriverSpec, _ ...grpc.CallOption) (*emptypb.Empty, error) {
	change, err := agentapi.Decode[spec.DriverChange](&agentapi.JSON{Json: r.Json}, nil)
	if change.Faults != nil && len(*change.Faults) == 0 {
		w.note("heal driver on " + r.Node)
	}
	return &emptypb.Empty{}, err
}

func (w *world) GetDriverStatus(context.Context, *agentapi.DriverRequest, ...grpc.CallOption) (*agentapi.JSON, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	status := spec.DriverStatus{Registered: true}
	if w.prepared > 0 {
		w.prepared--
		status.Prepared = []types.UID{"claim-uid"}
		if w.prepared == 0 {
			w.log = append(w.log, "unprepare")
		}
	}
	return &agentapi.JSON{Json: agentapi.Encode(status)}, nil
}

func (w *world) StopDriver(_ context.Context, r *agentapi.DriverRequest, _ ...grpc.CallOption) (*emptypb.Empty, error) {
	w.note("stop driver on " + r.Node)
	return &emptypb.Empty{}, w.stop
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
