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

package kind

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"sigs.k8s.io/yaml"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/framework/spec"
)

// controlPlane is a node with a controller manager. Its API server shows changes at once.
type controlPlane struct {
	manifest string // of the controller manager
	deployed bool   // the own controllers are
	changes  int
	broken   bool // the own controllers are never ready
	did      []string
}

const managerManifest = "metadata: {name: kube-controller-manager}\nspec:\n  containers:\n  - {name: kube-controller-manager, image: 'stock:1', command: [kube-controller-manager, '--controllers=*', '--kube-api-qps=100', '--port=0']}\n"

func (n *controlPlane) works() string {
	off := strings.Contains(n.manifest, "-resourceclaim-controller")
	switch {
	case off && n.deployed:
		return "own"
	case off:
		return "none"
	case n.deployed:
		return "both"
	default:
		return "stock"
	}
}

func (n *controlPlane) run(args []string, input string) (string, error) {
	line := strings.Join(args, " ")
	switch {
	case args[0] == "cat":
		return n.manifest, nil
	case strings.Contains(line, "mv -T"):
		n.manifest, n.changes = input, n.changes+1
		n.did = append(n.did, n.works())
		return "", nil
	case strings.Contains(line, " apply "):
		n.did = append(n.did, "apply "+input)
		n.deployed = true
		return "deployment.apps/dra-controller-manager created", nil
	case strings.Contains(line, " delete deployment "):
		if n.deployed {
			n.did = append(n.did, "delete")
		}
		n.deployed = false
		return "", nil
	case strings.Contains(line, " logs "):
		return "panic: no claims", nil
	case strings.HasPrefix(line, "ctr "):
		return "own:1", nil
	case strings.Contains(line, "crictl ps --quiet"):
		return map[bool]string{true: "abc", false: ""}[n.deployed], nil
	case strings.Contains(line, "readlink"):
		return "", nil
	case args[4] == "dra-controller-manager" && n.broken:
		return "", nil
	default: // the question about a component
		return fmt.Sprintf("container c%d stock:1\nok\nkubernetes_build_info{git_version=\"v1\"} 1\nleader_election_master_status{name=%q} 1\n", n.changes, args[4]), nil
	}
}

func (n *controlPlane) client(t *testing.T) *fake.Clientset {
	t.Helper()
	client := fake.NewClientset()
	client.PrependReactor("*", "pods", func(action clienttesting.Action) (bool, runtime.Object, error) {
		name := ""
		if get, ok := action.(clienttesting.GetAction); ok {
			name = get.GetName()
		}
		own := corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"component": "dra-controller-manager"}},
			Spec:       corev1.PodSpec{Containers: []corev1.Container{{Image: "own:1"}}}, Status: corev1.PodStatus{Phase: corev1.PodRunning, PodIP: "10.0.0.1"}}
		if name == "" && !n.deployed {
			return true, &corev1.PodList{}, nil
		}
		if name == "" {
			return true, &corev1.PodList{Items: []corev1.Pod{own}}, nil
		}
		var manager corev1.Pod
		if err := yaml.Unmarshal([]byte(n.manifest), &manager); err != nil {
			return true, nil, err
		}
		manager.ObjectMeta = metav1.ObjectMeta{Name: name}
		manager.Status.ContainerStatuses = []corev1.ContainerStatus{{State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}}
		return true, &manager, nil
	})
	return client
}

// switching switches the controllers of the node.
func (n *controlPlane) switching(t *testing.T, to spec.Provenance) switching {
	t.Helper()
	image := clusters.ComponentImage{Ref: "own:1", Kubernetes: "v1", Manifest: func(args []string) ([]byte, error) {
		return []byte("everything with " + strings.Join(args, " ")), nil
	}}
	return switching{
		parts:  parts{maker: oneNode{n}, progress: &progress.Printer{}},
		record: record{Name: "x", Version: "v1"}, client: n.client(t),
		to: clusters.Stack{Controllers: to}, own: built{controllers: image},
	}
}

func TestSwitchControllersAndBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &controlPlane{manifest: managerManifest}
		for _, tc := range []struct {
			to  spec.Provenance
			did []string
		}{
			{spec.Stock, nil},
			{spec.Own, []string{"none", "apply everything with --kube-api-qps=100"}},
			{spec.Own, []string{"apply everything with --kube-api-qps=100"}},
			{spec.Stock, []string{"delete", "stock"}},
		} {
			n.did = nil
			if _, err := n.switching(t, tc.to).run(t.Context()); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tc.did, n.did); d != "" || n.works() != string(tc.to) {
				t.Errorf("to %s: %s works; %s", tc.to, n.works(), d)
			}
			got, err := n.switching(t, tc.to).stack(t.Context(), "x")
			if err != nil || got.Controllers != tc.to || got.Kubelet != spec.Stock {
				t.Errorf("to %s: the stack is read as %q, %v", tc.to, got, err)
			}
		}
	})
}

func TestSwitchToControllersThatDoNotWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &controlPlane{manifest: managerManifest, broken: true}
		_, err := n.switching(t, spec.Own).run(t.Context())
		for _, message := range []string{"wait for dra-controller-manager", "Running; no container runs", "panic: no claims", "the stock controllers do the work again"} {
			if err == nil || !strings.Contains(err.Error(), message) {
				t.Errorf("does not say %q: %v", message, err)
			}
		}
		if n.works() != "stock" {
			t.Errorf("%s works", n.works())
		}
	})
}

func TestInterruptedSwitchOfControllersSaysSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &controlPlane{manifest: managerManifest, broken: true}
		ctx, cancel := context.WithTimeout(t.Context(), networkTimeout/2)
		defer cancel()
		_, err := n.switching(t, spec.Own).run(ctx)
		if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "leaves its work to dra-controller-manager") {
			t.Errorf("got %v", err)
		}
		n.deployed = false // as if interrupted earlier
		if got, err := n.switching(t, "").stack(t.Context(), "x"); err != nil || got.Controllers != spec.None {
			t.Errorf("the stack is read as %q, %v", got, err)
		}
	})
}

func TestSwitchRefusesAnotherVersion(t *testing.T) {
	n := &controlPlane{manifest: managerManifest}
	for _, component := range clusters.Components() {
		s := n.switching(t, "")
		s.to, s.record.Version = clusters.Stack{}, "v0.9"
		if err := s.to.Set(component, "own"); err != nil {
			t.Fatal(err)
		}
		if _, err := s.run(t.Context()); !errors.Is(err, clusters.ErrUnknownVersion) {
			t.Errorf("%s: %v", component, err)
		}
	}
}

func TestPickNodes(t *testing.T) {
	there := nodeNames(clusters.Config{Name: "x", Workers: new(2)})
	if d := cmp.Diff([]string{"x-control-plane", "x-worker", "x-worker2"}, there); d != "" {
		t.Error(d)
	}
	for _, tc := range []struct {
		names, want []string
		message     string
	}{
		{nil, there, ""},
		{[]string{"worker2", "x-worker"}, []string{"x-worker2", "x-worker"}, ""},
		{[]string{"worker3"}, nil, `no node "worker3", its nodes are x-control-plane, x-worker, x-worker2`},
	} {
		got, err := pick(tc.names, "x", there)
		if d := cmp.Diff(tc.want, got); d != "" || (err == nil) != (tc.message == "") || err != nil && !strings.Contains(err.Error(), tc.message) {
			t.Errorf("%v: %v, %s", tc.names, err, d)
		}
	}
}

func TestNewClusterIsSwitchedOnlyToWhatIsOwn(t *testing.T) {
	s, err := clusters.ParseStack("scheduler=stock,controllers=own,kubelet=stock:worker")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(clusters.Stack{Controllers: spec.Own}, ownOf(s)); d != "" {
		t.Error(d)
	}
	if s, err = clusters.ParseStack("kubelet=own:worker"); err != nil || !cmp.Equal(s, ownOf(s)) {
		t.Errorf("%v, %q", err, ownOf(s))
	}
	if _, err := buildOwn(t.Context(), fakeImages{}, s, "v1"); !errors.Is(err, clusters.ErrEnvironment) {
		t.Errorf("got %v", err)
	}
}
